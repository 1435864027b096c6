#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "policy/model/segment.h"

namespace kg::policy {

// Attention on a CPU over tiles of 64 queries and 64 keys (FlashAttention-2, arXiv:2307.08691, Algorithms 1 and 2):
// memory in proportion to the number of tokens T. All tensors are fp32 or all bf16; sums are fp32. The result does not
// depend on the number of threads.
struct AttentionResult {
  at::Tensor result;    // (T, H, D), of the type of the queries
  at::Tensor log_sums;  // (T, H) fp32: of each query log(sum over keys of exp(score))
};
// query (T, H, D), key, value (T, K, D), H a multiple of K, D even.
AttentionResult tiled_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                const std::vector<Segment>& segments);

struct AttentionGradients {
  at::Tensor query, key, value;  // with the inputs' shapes and type
};
// `upstream` (T, H, D) is the gradient of the result.
AttentionGradients tiled_attention_backward(const at::Tensor& upstream, const at::Tensor& query, const at::Tensor& key,
                                            const at::Tensor& value, const AttentionResult& forward,
                                            const std::vector<Segment>& segments);

}  // namespace kg::policy
