#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace kg::trainer {

// Euclidean norm over all gradients together; not finite if any element is not.
double global_norm(const std::vector<at::Tensor>& gradients);

// Scales all gradients in place so that their norm is at most `limit` (0: no limit). Arithmetic of torch's
// clip_grad_norm_.
void clip_to_norm(const std::vector<at::Tensor>& gradients, double norm, double limit);

}  // namespace kg::trainer
