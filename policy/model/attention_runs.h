#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace kg::policy {

// Runs of queries that lie one behind the other, each with keys of its own that lie likewise. The last query of a run
// sees all its keys, each one before it one key less.
class AttentionRuns {
 public:
  struct Run {
    std::int64_t queries, keys;
  };
  AttentionRuns(const std::vector<Run>& runs, at::Device device);

  // Whether the device's flash attention takes such tensors (FlashAttention-2, arXiv 2307.08691): fp16 or bf16 on an
  // NVIDIA card, of heads of up to 256 elements.
  static bool takes(const at::Tensor& query);
  // query (sum of queries, H, D), key, value (sum of keys, K, D), H a multiple of K -> as query. Differentiable.
  at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const;

 private:
  at::Tensor query_ends_, key_ends_;  // (runs + 1) int32, 0 first
  std::int64_t most_queries_ = 0, most_keys_ = 0;
};

}  // namespace kg::policy
