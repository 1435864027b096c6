#pragma once

#include <ATen/core/Tensor.h>

#include "policy/model/layers.h"

namespace kg::policy {

// The functions of layers.h for tensors on a CPU or an NVIDIA card in fp32 or bf16: one pass over memory each way
// instead of one for every ATen operation, and only the arguments are kept for the backward pass.
bool can_fuse(const at::Tensor& x);
at::Tensor fused_rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);
NormedSum fused_add_rms_norm(const at::Tensor& x, const at::Tensor& added, const at::Tensor& weight, double epsilon);
at::Tensor fused_rotate(const at::Tensor& x, const Rotation& rotation);
at::Tensor fused_swiglu(const at::Tensor& gate, const at::Tensor& up);

}  // namespace kg::policy
