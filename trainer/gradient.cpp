#include "trainer/gradient.h"

#include <ATen/ops/linalg_vector_norm.h>
#include <c10/core/GradMode.h>

#include <cmath>

namespace kg::trainer {

double global_norm(const std::vector<at::Tensor>& gradients) {
  const at::NoGradGuard no_grad;
  double square = 0;
  for (const at::Tensor& gradient : gradients) {
    const double norm = at::linalg_vector_norm(gradient).item<double>();
    square += norm * norm;
  }
  return std::sqrt(square);
}

void clip_to_norm(const std::vector<at::Tensor>& gradients, double norm, double limit) {
  const double scale = limit / (norm + 1e-6);
  if (limit <= 0 || scale >= 1) return;
  const at::NoGradGuard no_grad;
  for (at::Tensor gradient : gradients) gradient.mul_(scale);
}

}  // namespace kg::trainer
