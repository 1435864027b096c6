// Normalisation over the first axis, and mean and variance of rows that come in parts (Welford): computed in double and
// rounded once for each result.

#include <algorithm>
#include <cmath>
#include <vector>

#include "npu/calls/non_elementwise.h"
#include "npu/calls/rate_table.h"

namespace kg::npu {
namespace {

using kgnpu::Special;
using kgnpu::Type;

// tensor: dst, mean, variance, src, gamma, beta, temporary; number: elements of the first axis, elements of all others,
// bits of epsilon. Mean and variance for each of the others; gamma and beta for each of the first axis.
std::uint64_t batch_norm(SpecialRun& run) {
  const std::int64_t batch = run.number(0), others = run.number(1);
  if (batch <= 0 || others <= 0) {
    run.error(FaultClass::kArgument, "a batch of ", batch, " times ", others,
              " elements; the tiling is made on the host for the tensor's shape");
    return 0;
  }
  if (!run.fits({batch, others})) return 0;
  const Type type = run.call.type;
  const std::int64_t size = size_of(type);
  const double epsilon = run.scalar(2, Type::kFloat);
  run.reads(run.tensor(3), batch * others * size, "the source tensor");
  run.reads(run.tensor(4), batch * size, "gamma");
  run.reads(run.tensor(5), batch * size, "beta");
  run.writes(run.tensor(0), batch * others * size, "the destination tensor");
  run.writes(run.tensor(1), others * size, "the mean tensor");
  run.writes(run.tensor(2), others * size, "the variance tensor");
  run.scratch(run.call.tensor[6], others * 3 * 4);
  run.issue(library_cycles(static_cast<double>(batch * others), Type::kFloat, 9, 0));
  std::vector<double> x(static_cast<std::size_t>(batch));
  for (std::int64_t i = 0; i < others; ++i) {
    bool known = true;
    double mean = 0, variance = 0;
    for (std::int64_t b = 0; b < batch; ++b) {
      const std::int64_t at = b * others + i;
      x[static_cast<std::size_t>(b)] = run.get(run.tensor(3), type, at);
      known = known && run.defined(run.tensor(3), at * size, size);
      mean += x[static_cast<std::size_t>(b)] / static_cast<double>(batch);
    }
    for (const double value : x) variance += (value - mean) * (value - mean) / static_cast<double>(batch);
    const double scale = 1.0 / std::sqrt(variance + epsilon);
    for (std::int64_t b = 0; b < batch; ++b) {
      const bool weights = run.defined(run.tensor(4), b * size, size) && run.defined(run.tensor(5), b * size, size);
      run.put(run.tensor(0), type, b * others + i,
              (x[static_cast<std::size_t>(b)] - mean) * scale * run.get(run.tensor(4), type, b) +
                  run.get(run.tensor(5), type, b),
              known && weights);
    }
    run.put(run.tensor(1), type, i, mean, known);
    run.put(run.tensor(2), type, i, variance, known);
  }
  return 0;
}

// tensor: mean, variance (both float), mean and variance so far, the next part of the rows (type), temporary; number:
// rows, elements of a row, of which computed, bits of 1 / parts so far, 1 if the other elements stay as they are.
// Mean' = mean + (x - mean) / parts; variance' = variance + (x - mean) (x - mean').
std::uint64_t welford_update(SpecialRun& run) {
  const std::int64_t rows = run.number(0), step = run.number(1), count = run.number(2);
  if (rows <= 0 || step <= 0 || count <= 0 || count > step) {
    run.error(FaultClass::kArgument, "rnLength ", rows, ", abLength ", step, ", abComputeLength ", count,
              "; abComputeLength is 1 to abLength");
    return 0;
  }
  if (!run.fits({rows, step})) return 0;
  const Type type = run.call.type;
  const double share = run.scalar(3, Type::kFloat);
  for (const int k : {2, 3}) run.reads(run.tensor(k), rows * step * 4, k == 2 ? "inputMean" : "inputVariance");
  run.reads(run.tensor(4), rows * step * size_of(type), "inputX");
  for (const int k : {0, 1}) run.writes(run.tensor(k), rows * step * 4, k == 0 ? "outputMean" : "outputVariance");
  run.scratch(run.call.tensor[5], step * 4);
  run.issue(library_cycles(static_cast<double>(rows * step), Type::kFloat, 6, 0));
  for (std::int64_t at = 0; at < rows * step; ++at) {
    const double mean = run.get(run.tensor(2), Type::kFloat, at), variance = run.get(run.tensor(3), Type::kFloat, at);
    bool known = run.defined(run.tensor(2), at * 4, 4) && run.defined(run.tensor(3), at * 4, 4);
    if (at % step >= count) {
      if (run.number(4) != 0) continue;
      run.put(run.tensor(0), Type::kFloat, at, mean, known);
      run.put(run.tensor(1), Type::kFloat, at, variance, known);
      continue;
    }
    known = known && run.defined(run.tensor(4), at * size_of(type), size_of(type));
    const double x = run.get(run.tensor(4), type, at);
    const double next = static_cast<float>(mean + (x - mean) * share);
    run.put(run.tensor(0), Type::kFloat, at, next, known);
    run.put(run.tensor(1), Type::kFloat, at, variance + (x - mean) * (x - next), known);
  }
  return 0;
}

// tensor: mean, variance (one float each), means and variances of the parts, counts of the parts (int32) or null,
// temporary; number: rows that each part stands for, parts, bits of 1 / parts, bits of 1 / all elements, then the
// counts of the first parts, how many these are, and the same of the last ones.
std::uint64_t welford_finalize(SpecialRun& run) {
  const std::int64_t rows = run.number(0), parts = run.number(1);
  if (rows <= 0 || parts <= 0) {
    run.error(FaultClass::kArgument, "rnLength ", rows, ", abLength ", parts, "; both are at least 1");
    return 0;
  }
  if (!run.fits({parts})) return 0;
  const bool tail = run.number(6) > 0 && run.number(7) > 0;
  if (!run.has(4) && tail && run.number(5) + run.number(7) > parts) {
    run.error(FaultClass::kArgument, "headCountLength ", run.number(5), " and tailCountLength ", run.number(7),
              " are more than abLength ", parts);
    return 0;
  }
  for (const int k : {2, 3}) run.reads(run.tensor(k), parts * 4, k == 2 ? "inputMean" : "inputVariance");
  if (run.has(4)) run.reads(run.tensor(4), parts * 4, "counts");
  for (const int k : {0, 1}) run.writes(run.tensor(k), 4, k == 0 ? "outputMean" : "outputVariance");
  run.scratch(run.call.tensor[5], parts * 4);
  run.issue(library_cycles(static_cast<double>(parts), Type::kFloat, 6, 0));
  const double per_part = run.scalar(2, Type::kFloat), per_element = run.scalar(3, Type::kFloat);
  const auto weight = [&](std::int64_t i) -> double {
    if (run.has(4)) return run.get(run.tensor(4), Type::kInt32, i);
    if (!tail) return static_cast<double>(rows);
    return static_cast<double>(i < run.number(5)                   ? run.number(4)
                               : i < run.number(5) + run.number(7) ? run.number(6)
                                                                   : 0);
  };
  const bool even = !run.has(4) && !tail;
  bool known = run.defined(run.tensor(2), 0, parts * 4) && run.defined(run.tensor(3), 0, parts * 4);
  if (run.has(4)) known = known && run.defined(run.tensor(4), 0, parts * 4);
  double mean = 0, variance = 0;
  for (std::int64_t i = 0; i < parts; ++i)
    mean += run.get(run.tensor(2), Type::kFloat, i) * (even ? per_part : weight(i) * per_element);
  for (std::int64_t i = 0; i < parts; ++i) {
    const double apart = run.get(run.tensor(2), Type::kFloat, i) - mean;
    variance += (run.get(run.tensor(3), Type::kFloat, i) + weight(i) * apart * apart) * per_element;
  }
  run.put(run.tensor(0), Type::kFloat, 0, mean, known);
  run.put(run.tensor(1), Type::kFloat, 0, variance, known);
  return 0;
}

constexpr SpecialRow kTable[] = {{Special::kBatchNorm, batch_norm},
                                 {Special::kWelfordUpdate, welford_update},
                                 {Special::kWelfordFinalize, welford_finalize}};

}  // namespace

std::span<const SpecialRow> norm_batch_table() { return kTable; }

}  // namespace kg::npu
