#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace kg::trainer {

// Euclidean norm over all gradients together; not finite if any element is not.
double global_norm(const std::vector<at::Tensor>& gradients);

// What gradients of that norm are multiplied by so that it is at most `limit` (0: no limit): torch's clip_grad_norm_.
double clip_scale(double norm, double limit);

}  // namespace kg::trainer
