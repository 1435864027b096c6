#pragma once

#include <ATen/ATen.h>

namespace kg::policy {

// ||value - wanted|| / ||wanted||, in fp64 on the CPU.
inline double relative_error(const at::Tensor& value, const at::Tensor& wanted) {
  const at::Tensor a = value.detach().to(at::kCPU, at::kDouble), b = wanted.detach().to(at::kCPU, at::kDouble);
  return ((a - b).norm() / b.norm()).item<double>();
}

}  // namespace kg::policy
