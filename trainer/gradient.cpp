#include "trainer/gradient.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/stack.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

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

// Whether we have a loop of our own for it.
std::optional<double> square_on_cpu(const at::Tensor& given) {
  if (!given.is_cpu()) return std::nullopt;
  const at::Tensor x = given.contiguous();
  if (x.scalar_type() == at::kFloat) return square_on_cpu(x.const_data_ptr<float>(), x.numel());
  if (x.scalar_type() == at::kBFloat16)
    return square_on_cpu(reinterpret_cast<const std::uint16_t*>(x.const_data_ptr<at::BFloat16>()), x.numel());
  return std::nullopt;
}

}  // namespace

double global_norm(const std::vector<at::Tensor>& gradients) {
  const at::NoGradGuard no_grad;
  double sum = 0;
  std::vector<at::Tensor> others;  // tensors of one type, with a single wait for all
  for (const at::Tensor& gradient : gradients) {
    if (const std::optional<double> square = square_on_cpu(gradient))
      sum += *square;
    else
      others.push_back(gradient);
  }
  if (!others.empty()) {
    const auto wide = others.front().scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    sum += at::stack(at::_foreach_norm(others, 2, wide)).to(at::kDouble).square().sum().item<double>();
  }
  return std::sqrt(sum);
}

double clip_scale(double norm, double limit) {
  const double scale = limit / (norm + 1e-6);
  return limit <= 0 || scale >= 1 ? 1 : scale;
}

}  // namespace kg::trainer
