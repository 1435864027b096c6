#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace kg::trainer {

// Euclidean norm of all gradients together; not finite if any element is not.
double global_norm(const std::vector<at::Tensor>& gradients);

// The factor for gradients of that norm that limits it to `limit` (0: no limit): torch's clip_grad_norm_.
double clip_scale(double norm, double limit);

}  // namespace kg::trainer
