#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "policy/model/attention_runs.h"
#include "policy/model/segment.h"

namespace kg::policy {

// Attention over a packed row, each token within its segment: query (T, H, D), key, value (T, K, D), H a multiple of K
// -> (T, H, D). Differentiable; takes memory in proportion to T on a CPU, and on an NVIDIA card in bf16 or fp16.
class CausalAttention {
 public:
  // For tensors on `device`, for any number of layers.
  CausalAttention(std::vector<Segment> segments, at::Device device);
  at::Tensor operator()(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const;

 private:
  std::vector<Segment> segments_;
  std::optional<AttentionRuns> runs_;  // on an NVIDIA card
  at::Tensor key_places_;              // places of the keys in the order of the runs; undefined: unchanged
};

}  // namespace kg::policy
