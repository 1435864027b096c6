#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace kg::policy {

// body(x), of which only x is kept for the backward pass: that runs the body once more (activation checkpointing, Chen
// et al., "Training deep nets with sublinear memory cost", 2016). `weights`: all tensors with gradients that the body
// uses beside x. The body must be a pure function of them.
at::Tensor recomputed(const at::Tensor& x, const std::vector<at::Tensor>& weights,
                      std::function<at::Tensor(const at::Tensor& x)> body);

}  // namespace kg::policy
