#pragma once

#include <ATen/core/Tensor.h>

#include "trainer/adamw_kernel.h"

namespace kg::trainer {

// adamw_run() on an NVIDIA card: weights, first, second fp32; gradient fp32 or bf16; `copy`, bf16, gets the new weights
// if it is defined. All contiguous and of the same shape.
void adamw_on_cuda(const at::Tensor& weights, const at::Tensor& first, const at::Tensor& second,
                   const at::Tensor& gradient, const at::Tensor& copy, const AdamWConstants& constants);

}  // namespace kg::trainer
