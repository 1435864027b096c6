#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace kg::policy {

// The parts of a Llama layer other than its matrix products. All are differentiable; sums of squares and rotations are
// computed in fp32 whatever the type of the arguments.

// x (T, C), weight (C) -> (T, C): x / sqrt(mean(x^2) + epsilon) * weight.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);

// Cosine and sine of the angles of rotary position embedding (Su et al., "RoFormer", 2021): fp32 (T, D/2) each, on the
// device of `positions` (T) int64.
struct Rotation {
  at::Tensor cosine, sine;
};
Rotation rotation_of(const at::Tensor& positions, std::int64_t head_size, double base);

// x (T, H, D) -> the same shape, element i rotated with element i + D/2.
at::Tensor rotate(const at::Tensor& x, const Rotation& rotation);

// gate, up (T, F) -> silu(gate) * up.
at::Tensor swiglu(const at::Tensor& gate, const at::Tensor& up);

// query (T, H, D), key, value (T, K, D), H a multiple of K -> (T, H, D). Each token sees the tokens of its document up
// to itself. `ends`: of each document, one past its last token.
at::Tensor causal_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const std::vector<std::int64_t>& ends);

}  // namespace kg::policy
