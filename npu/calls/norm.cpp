// Normalisations over rows: computed in double and rounded once for each result.

#include <algorithm>
#include <cmath>

#include "npu/calls/non_elementwise.h"
#include "npu/calls/rate_table.h"

namespace kg::npu {
namespace {

using kgnpu::Special;
using kgnpu::Type;

struct Moments {
  double mean = 0, variance = 0;
};
Moments moments(const std::vector<double>& x) {
  Moments result;
  const auto n = static_cast<double>(x.size());
  for (const double value : x) result.mean += value;
  result.mean /= n;
  for (const double value : x) result.variance += (value - result.mean) * (value - result.mean);
  result.variance /= n;
  return result;
}

bool sensible(SpecialRun& run, std::int64_t rows, std::int64_t step, std::int64_t valid) {
  if (rows > 0 && step > 0 && valid > 0 && valid <= step) return run.fits({rows, step});
  run.error(FaultClass::kArgument, "a shape of ", rows, " rows of ", step, ", valid ", valid,
            "; the tiling is made on the host for the tensor's shape");
  return false;
}

// tensor: dst, mean or null, variance or reciprocal deviation or null, src, gamma or null, beta or null, temporary, a
// second source or null; number: rows, elements of a row, valid ones, bits of epsilon (float), kind, bits of alpha
// (float). type2: of mean and variance; masking carries the type of gamma and beta. Kinds:
//   0 LayerNorm with mean and variance, 1 with mean and reciprocal deviation, 2 RmsNorm,
//   3 DeepNorm (row = alpha * src + second source).
std::uint64_t layer_norm(SpecialRun& run) {
  const std::int64_t rows = run.number(0), step = run.number(1), valid = run.number(2), kind = run.number(4);
  if (!sensible(run, rows, step, valid)) return 0;
  const Type type = run.call.type, statistics = run.call.type2, weights = run.type(6);
  const std::int64_t size = size_of(type);
  const double epsilon = run.scalar(3, Type::kFloat), alpha = run.scalar(5, Type::kFloat);
  run.reads(run.tensor(3), rows * step * size, "the source tensor");
  if (run.has(7)) run.reads(run.tensor(7), rows * step * size, "the second source tensor");
  for (const int k : {4, 5})
    if (run.has(k)) run.reads(run.tensor(k), valid * size_of(weights), k == 4 ? "gamma" : "beta");
  run.writes(run.tensor(0), rows * step * size, "the destination tensor");
  for (const int k : {1, 2})
    if (run.has(k))
      run.writes(run.tensor(k), rows * size_of(statistics), k == 1 ? "the mean tensor" : "the variance tensor");
  run.scratch(run.call.tensor[6], rows * step * 4);
  run.issue(library_cycles(static_cast<double>(rows * step), Type::kFloat, kind == 2 ? 5 : 9, 0) +
            static_cast<double>(rows) * 14);
  for (std::int64_t r = 0; r < rows; ++r) {
    std::vector<double> x(static_cast<std::size_t>(valid));
    bool known = run.defined(run.tensor(3), r * step * size, valid * size);
    if (run.has(7)) known = known && run.defined(run.tensor(7), r * step * size, valid * size);
    for (std::int64_t i = 0; i < valid; ++i) {
      double value = run.get(run.tensor(3), type, r * step + i);
      if (run.has(7)) value = value * alpha + run.get(run.tensor(7), type, r * step + i);
      x[static_cast<std::size_t>(i)] = value;
    }
    Moments of = moments(x);
    if (kind == 2) {
      of = {};
      for (const double value : x) of.variance += value * value;
      of.variance /= static_cast<double>(valid);
    }
    const double scale = 1.0 / std::sqrt(of.variance + epsilon);
    for (std::int64_t i = 0; i < valid; ++i) {
      double value = (x[static_cast<std::size_t>(i)] - of.mean) * scale;
      bool lane = known;
      if (run.has(4)) value *= run.get(run.tensor(4), weights, i);
      if (run.has(5)) value += run.get(run.tensor(5), weights, i);
      for (const int k : {4, 5})
        if (run.has(k)) lane = lane && run.defined(run.tensor(k), i * size_of(weights), size_of(weights));
      run.put(run.tensor(0), type, r * step + i, value, lane);
    }
    run.define(run.tensor(0), (r * step + valid) * size, (step - valid) * size, false);
    if (run.has(1)) run.put(run.tensor(1), statistics, r, of.mean, known);
    if (run.has(2)) run.put(run.tensor(2), statistics, r, kind == 1 ? scale : of.variance, known);
  }
  return 0;
}

// tensor: dst, reciprocal deviation, mean, variance, src, gamma, beta, temporary; number: rows, elements of a row,
// valid ones, bits of epsilon, type of gamma and beta.
std::uint64_t normalize(SpecialRun& run) {
  const std::int64_t rows = run.number(0), step = run.number(1), valid = run.number(2);
  if (!sensible(run, rows, step, valid)) return 0;
  const Type type = run.call.type, weights = run.type(4);
  const std::int64_t size = size_of(type);
  const double epsilon = run.scalar(3, Type::kFloat);
  run.reads(run.tensor(4), rows * step * size, "the source tensor");
  run.reads(run.tensor(2), rows * 4, "the mean tensor");
  run.reads(run.tensor(3), rows * 4, "the variance tensor");
  for (const int k : {5, 6})
    if (run.has(k)) run.reads(run.tensor(k), valid * size_of(weights), k == 5 ? "gamma" : "beta");
  run.writes(run.tensor(0), rows * step * size, "the destination tensor");
  run.writes(run.tensor(1), rows * 4, "the reciprocal deviation");
  run.scratch(run.call.tensor[7], rows * step * 4);
  run.issue(library_cycles(static_cast<double>(rows * step), Type::kFloat, 5, 0));
  for (std::int64_t r = 0; r < rows; ++r) {
    const double mean = run.get(run.tensor(2), Type::kFloat, r);
    const double scale = 1.0 / std::sqrt(run.get(run.tensor(3), Type::kFloat, r) + epsilon);
    const bool known = run.defined(run.tensor(2), r * 4, 4) && run.defined(run.tensor(3), r * 4, 4);
    for (std::int64_t i = 0; i < valid; ++i) {
      double value = (run.get(run.tensor(4), type, r * step + i) - mean) * scale;
      bool lane = known && run.defined(run.tensor(4), (r * step + i) * size, size);
      if (run.has(5)) value *= run.get(run.tensor(5), weights, i);
      if (run.has(6)) value += run.get(run.tensor(6), weights, i);
      for (const int k : {5, 6})
        if (run.has(k)) lane = lane && run.defined(run.tensor(k), i * size_of(weights), size_of(weights));
      run.put(run.tensor(0), type, r * step + i, value, lane);
    }
    run.put(run.tensor(1), Type::kFloat, r, scale, known);
  }
  return 0;
}

// tensor: dst, mean, variance, src, gamma, beta, temporary; number: batches, channels, elements of a channel, the step
// of a channel, groups, bits of epsilon. Mean and variance for each batch and group; gamma and beta for each channel.
std::uint64_t group_norm(SpecialRun& run) {
  const std::int64_t n = run.number(0), c = run.number(1), hw = run.number(2), step = run.number(3),
                     groups = run.number(4);
  if (n <= 0 || groups <= 0 || !run.fits({n, c}) || !run.fits({n, groups})) return 0;
  if (c % groups != 0) {
    run.error(FaultClass::kArgument, "c is ", c, ", no multiple of the ", groups, " groups");
    return 0;
  }
  if (!sensible(run, n * c, step, hw)) return 0;
  const Type type = run.call.type;
  const std::int64_t size = size_of(type), d = c / groups;
  const double epsilon = run.scalar(5, Type::kFloat);
  run.reads(run.tensor(3), n * c * step * size, "the source tensor");
  run.reads(run.tensor(4), c * size, "gamma");
  run.reads(run.tensor(5), c * size, "beta");
  run.writes(run.tensor(0), n * c * step * size, "the destination tensor");
  run.writes(run.tensor(1), n * groups * size, "the mean tensor");
  run.writes(run.tensor(2), n * groups * size, "the variance tensor");
  run.scratch(run.call.tensor[6], n * c * step * 4);
  run.issue(library_cycles(static_cast<double>(n * c * step), Type::kFloat, 9, 0));
  for (std::int64_t g = 0; g < n * groups; ++g) {
    std::vector<double> x;
    bool known = true;
    for (std::int64_t k = 0; k < d; ++k)
      for (std::int64_t i = 0; i < hw; ++i) {
        const std::int64_t at = (g * d + k) * step + i;
        x.push_back(run.get(run.tensor(3), type, at));
        known = known && run.defined(run.tensor(3), at * size, size);
      }
    const Moments of = moments(x);
    const double scale = 1.0 / std::sqrt(of.variance + epsilon);
    for (std::int64_t k = 0; k < d; ++k) {
      const std::int64_t channel = (g % groups) * d + k;
      for (std::int64_t i = 0; i < hw; ++i)
        run.put(run.tensor(0), type, (g * d + k) * step + i,
                (x[static_cast<std::size_t>(k * hw + i)] - of.mean) * scale * run.get(run.tensor(4), type, channel) +
                    run.get(run.tensor(5), type, channel),
                known);
    }
    run.put(run.tensor(1), type, g, of.mean, known);
    run.put(run.tensor(2), type, g, of.variance, known);
  }
  return 0;
}

constexpr SpecialRow kTable[] = {
    {Special::kLayerNorm, layer_norm}, {Special::kNormalize, normalize}, {Special::kGroupNorm, group_norm}};

}  // namespace

std::span<const SpecialRow> norm_table() { return kTable; }

}  // namespace kg::npu
