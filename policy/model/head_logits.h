#pragma once

#include <ATen/core/Tensor.h>

namespace kg::policy {

// hidden (N, C), head (V, C) -> logits (N, V) fp32. Products of bf16 keep the fp32 of their sums where the CPU can:
// a logit of 16 rounded to bf16 is off by up to 0.06 nats, more than all the rounding before it.
at::Tensor head_logits(const at::Tensor& hidden, const at::Tensor& head);

// sum (V, C) fp32 becomes gradient^T hidden, or grows by it if `add`: gradient (N', V), bf16 and contiguous, N' even,
// is of the logits of hidden (N, C), bf16; N' - N further rows are 0. Only where bfloat16_products().
void add_head_gradient(const at::Tensor& gradient, const at::Tensor& hidden, const at::Tensor& sum, bool add);

}  // namespace kg::policy
