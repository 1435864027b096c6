#pragma once

#include <ATen/core/Tensor.h>

namespace kg::policy {

// hidden (N, C), head (V, C) -> logits (N, V) fp32. Products of bf16 keep their fp32 sums if the CPU can:
// a logit of 16 rounded to bf16 is off by up to 0.06 nats, more than all the rounding before it.
at::Tensor head_logits(const at::Tensor& hidden, const at::Tensor& head);

// Whether both are multiplied by oneDNN's products, which in fp32 are faster than at::mm's where that is not made for
// the CPU, and in bf16 keep their sums in fp32.
bool has_head_products(const at::Tensor& hidden, const at::Tensor& head);

// sum (V, C) fp32 becomes gradient^T hidden, or increases by it if `add`: gradient (N', V), contiguous, belongs to the
// logits of hidden (N, C). In bf16 N' is even, and N' - N further rows are 0. Only if has_head_products().
void add_head_gradient(const at::Tensor& gradient, const at::Tensor& hidden, const at::Tensor& sum, bool add);

}  // namespace kg::policy
