// The backward pass of LayerNorm, by the formulas of its documentation: computed in double and rounded once for each
// result.

#include <cmath>

#include "npu/calls/non_elementwise.h"
#include "npu/calls/rate_table.h"

namespace kg::npu {
namespace {

using kgnpu::Special;
using kgnpu::Type;

bool sensible(SpecialRun& run) {
  const std::int64_t rows = run.number(0), step = run.number(1), valid = run.number(2);
  if (rows > 0 && step > 0 && valid > 0 && valid <= step) return run.fits({rows, step});
  run.error(FaultClass::kArgument, "a shape of ", rows, " rows of ", step, ", valid ", valid,
            "; the tiling is made on the host for the tensor's shape");
  return false;
}

// tensor: gradient of x, what LayerNormGradBeta wants, gradient of the result, x, variance, mean, gamma, temporary;
// number: rows, elements of a row, valid ones, bits of epsilon (float).
std::uint64_t layer_norm_grad(SpecialRun& run) {
  if (!sensible(run)) return 0;
  const std::int64_t rows = run.number(0), step = run.number(1), valid = run.number(2);
  const Type type = run.call.type;
  const std::int64_t size = size_of(type);
  const double epsilon = run.scalar(3, Type::kFloat);
  run.reads(run.tensor(2), rows * step * size, "the gradient of the result");
  run.reads(run.tensor(3), rows * step * size, "the source tensor");
  run.reads(run.tensor(4), rows * size, "the variance tensor");
  run.reads(run.tensor(5), rows * size, "the mean tensor");
  run.reads(run.tensor(6), valid * size, "gamma");
  run.writes(run.tensor(0), rows * step * size, "the destination tensor");
  run.writes(run.tensor(1), rows * step * size, "the result for gamma");
  run.scratch(run.call.tensor[7], rows * step * 4);
  run.issue(library_cycles(static_cast<double>(rows * step), Type::kFloat, 14, 0) + static_cast<double>(rows) * 28);
  const auto n = static_cast<double>(valid);
  for (std::int64_t r = 0; r < rows; ++r) {
    const double spread = run.get(run.tensor(4), type, r) + epsilon, mean = run.get(run.tensor(5), type, r);
    const double scale = 1 / std::sqrt(spread);
    bool known = run.defined(run.tensor(4), r * size, size) && run.defined(run.tensor(5), r * size, size);
    const bool row_known = known && run.defined(run.tensor(2), r * step * size, valid * size) &&
                           run.defined(run.tensor(3), r * step * size, valid * size) &&
                           run.defined(run.tensor(6), 0, valid * size);
    std::vector<double> gradient(static_cast<std::size_t>(valid)), centred(gradient.size());
    double of_variance = 0, of_mean = 0, sum = 0;
    for (std::int64_t i = 0; i < valid; ++i) {
      const auto k = static_cast<std::size_t>(i);
      gradient[k] = run.get(run.tensor(2), type, r * step + i) * run.get(run.tensor(6), type, i);
      centred[k] = run.get(run.tensor(3), type, r * step + i) - mean;
      of_variance -= 0.5 * gradient[k] * centred[k] * scale / spread;
      of_mean -= gradient[k] * scale;
      sum -= 2 * centred[k];
    }
    of_mean += of_variance / n * sum;
    for (std::int64_t i = 0; i < valid; ++i) {
      const auto k = static_cast<std::size_t>(i);
      known = known && run.defined(run.tensor(3), (r * step + i) * size, size);
      run.put(run.tensor(0), type, r * step + i, gradient[k] * scale + of_variance * 2 / n * centred[k] + of_mean / n,
              row_known);
      run.put(run.tensor(1), type, r * step + i, centred[k] * scale, known);
    }
    for (const int k : {0, 1}) run.define(run.tensor(k), (r * step + valid) * size, (step - valid) * size, false);
  }
  return 0;
}

// tensor: gradient of gamma, of beta, what LayerNormGrad left, gradient of the result, temporary; number: rows,
// elements of a row, valid ones.
std::uint64_t layer_norm_grad_beta(SpecialRun& run) {
  if (!sensible(run)) return 0;
  const std::int64_t rows = run.number(0), step = run.number(1), valid = run.number(2);
  const Type type = run.call.type;
  const std::int64_t size = size_of(type);
  run.reads(run.tensor(2), rows * step * size, "the result for gamma");
  run.reads(run.tensor(3), rows * step * size, "the gradient of the result");
  run.writes(run.tensor(0), valid * size, "the gradient of gamma");
  run.writes(run.tensor(1), valid * size, "the gradient of beta");
  run.scratch(run.call.tensor[4], rows * step * 4);
  run.issue(library_cycles(static_cast<double>(rows * step), Type::kFloat, 3, 0));
  struct Sums {
    double gamma = 0, beta = 0;
    bool known = true;
  };
  std::vector<Sums> columns(static_cast<std::size_t>(valid));
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t i = 0; i < valid; ++i) {
      Sums& sums = columns[static_cast<std::size_t>(i)];
      const double gradient = run.get(run.tensor(3), type, r * step + i);
      sums.gamma += gradient * run.get(run.tensor(2), type, r * step + i);
      sums.beta += gradient;
      for (const int k : {2, 3}) sums.known = sums.known && run.defined(run.tensor(k), (r * step + i) * size, size);
    }
  for (std::int64_t i = 0; i < valid; ++i) {
    const Sums& sums = columns[static_cast<std::size_t>(i)];
    run.put(run.tensor(0), type, i, sums.gamma, sums.known);
    run.put(run.tensor(1), type, i, sums.beta, sums.known);
  }
  return 0;
}

constexpr SpecialRow kTable[] = {{Special::kLayerNormGrad, layer_norm_grad},
                                 {Special::kLayerNormGradBeta, layer_norm_grad_beta}};

}  // namespace

std::span<const SpecialRow> norm_grad_table() { return kTable; }

}  // namespace kg::npu
