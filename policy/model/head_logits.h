#pragma once

#include <ATen/core/Tensor.h>

namespace kg::policy {

// hidden (N, C), head (V, C) -> logits (N, V) fp32. Products of bf16 keep the fp32 of their sums where the CPU can:
// a logit of 16 rounded to bf16 is off by up to 0.06 nats, more than all the rounding before it.
at::Tensor head_logits(const at::Tensor& hidden, const at::Tensor& head);

}  // namespace kg::policy
