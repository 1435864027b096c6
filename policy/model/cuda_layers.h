#pragma once

#include <ATen/core/Tensor.h>

#include "policy/model/layers.h"

namespace kg::policy {

// Parts of a layer for an NVIDIA card in fp32 or bf16, where kernel launches and memory traffic
// cost more than arithmetic: consecutive operations form one kernel, and products with the same left side one
// product.

// Whether x (T, C) is such a tensor and its row width is supported (cuda_normalises()).
bool on_cuda(const at::Tensor& x);

// joined (T, (H + 2 K) D): one product of query, key and value. Query and key come out rotated.
struct Heads {
  at::Tensor query, key, value;  // (T, H, D), (T, K, D), (T, K, D)
};
Heads cuda_heads(const at::Tensor& joined, const Rotation& rotation, std::int64_t heads, std::int64_t kv_heads);

// joined (T, 2 F): gate, then up -> silu(gate) * up (T, F).
at::Tensor cuda_joined_swiglu(const at::Tensor& joined);

}  // namespace kg::policy
