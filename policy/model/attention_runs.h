#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace kg::policy {

// Consecutive runs of queries, each with its own consecutive keys. The last query of a run
// sees all its keys, each earlier one sees one key less.
class AttentionRuns {
 public:
  struct Run {
    std::int64_t queries, keys;
  };
  AttentionRuns(const std::vector<Run>& runs, at::Device device);

  // Whether the device's flash attention supports such tensors (FlashAttention-2, arXiv 2307.08691): fp16 or bf16 on an
  // NVIDIA card, with heads of up to 256 elements.
  static bool takes(const at::Tensor& query);
  // query (sum of queries, H, D), key, value (sum of keys, K, D), H a multiple of K -> shape of query. Differentiable.
  at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const;

 private:
  at::Tensor query_ends_, key_ends_;  // (runs + 1) int32, 0 first
  std::int64_t most_queries_ = 0, most_keys_ = 0;
};

}  // namespace kg::policy
