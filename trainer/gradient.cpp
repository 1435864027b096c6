#include "trainer/gradient.h"

#include <ATen/Parallel.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "trainer/adamw_kernel.h"

namespace kg::trainer {

namespace {

// On a CPU: of pieces, added in their order, so that the number of threads changes nothing.
template <typename T>
double square_on_cpu(const T* x, std::int64_t n) {
  constexpr std::int64_t kPiece = 1 << 16;
  const std::int64_t pieces = (n + kPiece - 1) / kPiece;
  std::vector<double> sums(static_cast<std::size_t>(pieces));
  at::parallel_for(0, pieces, /*grain_size=*/1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      sums[static_cast<std::size_t>(i)] = sum_of_squares(x + i * kPiece, std::min(kPiece, n - i * kPiece));
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

double square(const at::Tensor& given) {
  if (given.is_cpu() && given.scalar_type() == at::kFloat) {
    const at::Tensor x = given.contiguous();
    return square_on_cpu(x.const_data_ptr<float>(), x.numel());
  }
  if (given.is_cpu() && given.scalar_type() == at::kBFloat16) {
    const at::Tensor x = given.contiguous();
    return square_on_cpu(reinterpret_cast<const std::uint16_t*>(x.const_data_ptr<at::BFloat16>()), x.numel());
  }
  const auto wide = given.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const double norm = at::linalg_vector_norm(given, 2, c10::nullopt, /*keepdim=*/false, wide).item<double>();
  return norm * norm;
}

}  // namespace

double global_norm(const std::vector<at::Tensor>& gradients) {
  const at::NoGradGuard no_grad;
  double sum = 0;
  for (const at::Tensor& gradient : gradients) sum += square(gradient);
  return std::sqrt(sum);
}

double clip_scale(double norm, double limit) {
  const double scale = limit / (norm + 1e-6);
  return limit <= 0 || scale >= 1 ? 1 : scale;
}

}  // namespace kg::trainer
