#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "policy/model/rope.h"

namespace kg::policy {

// The parts of a layer other than its matrix products and attention (policy/attention.h). All are differentiable; sums
// of squares and rotations are computed in fp32 whatever the type of the arguments.

// x (T, C), weight (C) -> (T, C): x / sqrt(mean(x^2) + epsilon) * weight.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);

// x + added, both (T, C), and rms_norm() of it.
struct NormedSum {
  at::Tensor sum, normed;
};
NormedSum add_rms_norm(const at::Tensor& x, const at::Tensor& added, const at::Tensor& weight, double epsilon);

// Cosine and sine of the angles of rotary position embedding: fp32 (T, D/2) each, on the device of `positions` (T)
// int64.
struct Rotation {
  at::Tensor cosine, sine;
};
Rotation rotation_of(const at::Tensor& positions, const Rope& rope);

// x (T, H, D) -> the same shape, element i rotated with element i + D/2.
at::Tensor rotate(const at::Tensor& x, const Rotation& rotation);

// gate, up (T, F) -> silu(gate) * up.
at::Tensor swiglu(const at::Tensor& gate, const at::Tensor& up);

}  // namespace kg::policy
