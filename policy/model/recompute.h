#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace kg::policy {

// body(x), with only x kept for the backward pass, which runs the body again (activation checkpointing, Chen
// et al., "Training deep nets with sublinear memory cost", 2016). `weights`: all tensors with gradients that the body
// uses besides x. The body must be a pure function of them.
at::Tensor recomputed(const at::Tensor& x, const std::vector<at::Tensor>& weights,
                      std::function<at::Tensor(const at::Tensor& x)> body);

}  // namespace kg::policy
