#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "policy/model/segment.h"

namespace kg::policy {

// query (T, H, D), key, value (T, K, D), H a multiple of K -> (T, H, D): each token attends as its segment says.
// Differentiable; takes memory in proportion to T, never to its square, on a CPU.
at::Tensor causal_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const std::vector<Segment>& segments);

}  // namespace kg::policy
