#include "reward/check_width.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "operators/number_format.h"
#include "proto/dtype.h"
#include "reward/affine_answer.h"
#include "reward/tolerance.h"

namespace kg::reward {
namespace {

constexpr double kFailingShare = 0.001;
constexpr double kExact = 1e-9;               // relative to the largest number: the error of fp64 itself
constexpr std::size_t kMostLooked = 1 << 16;  // elements of a tensor, evenly over it
constexpr double kNoiseTimes = 4;

// The expected numbers, in fp64 if available.
operators::GoldenTensor wanted_of(const BenchmarkCase& expected, std::size_t index) {
  return index < expected.golden64.size() ? expected.golden64[index]
                                          : operators::to_golden(real_pairs(expected.golden[index]));
}

double root_mean_square(const operators::GoldenTensor& tensor) {
  double sum = 0;
  std::size_t count = 0;
  for (const double value : tensor.values)
    if (std::isfinite(value)) sum += value * value, ++count;
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

// The bound below which no element's error counts.
double floor_of(const BenchmarkCase& expected, std::size_t index, const operators::GoldenTensor& wanted) {
  const proto::Tensor golden = real_pairs(expected.golden[index]);
  const double size = root_mean_square(wanted);
  const double scaled = element_tolerance(golden.dtype(), size, 0);
  return index < expected.golden64.size() ? std::max(noise_floor(golden, wanted), scaled) : kNoiseTimes * scaled;
}

// The same guess under three rules: the checker's, the strict one, and exactness.
using Answers = std::array<AffineAnswer, 3>;
enum Rule { kPublished, kStrict, kExactly };

bool passes(const AffineAnswer& answer, int guess) {
  return guess == 0 ? answer.constant_exists() : guess == 1 ? answer.copy_exists() : answer.exists();
}

// Adds one run's elements of one checked tensor, against one input (or none: zeros).
void add_run(Answers& answers, const proto::Check& check, const CheckedRun& run, std::size_t index,
             const operators::GoldenTensor& wanted, const operators::GoldenTensor& input) {
  const proto::DType dtype = real_pairs(run.expected.golden[index]).dtype();
  const bool has_golden64 = index < run.expected.golden64.size();
  const double floor = floor_of(run.expected, index, wanted);
  const bool same_size = input.values.size() == wanted.values.size();
  double largest = 0;
  for (const double value : wanted.values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  const std::size_t step = std::max<std::size_t>(1, wanted.values.size() / kMostLooked);
  for (std::size_t n = 0; n < wanted.values.size(); n += step) {
    const double value = wanted.values[n];
    const double x = same_size ? input.values[n] : input.values.empty() ? 0 : input.values[0];
    if (!std::isfinite(value) || !std::isfinite(x)) continue;
    answers[kPublished].add(x, value, published_tolerance(check, dtype, value));
    answers[kStrict].add(x, value, element_tolerance(dtype, value, floor));
    answers[kExactly].add(x, value, has_golden64 ? kExact * largest : operators::unit_in_last_place(dtype, value));
  }
}

operators::GoldenTensor numbers_of(const proto::Tensor& tensor) {
  if (tensor.absent() || tensor.dtype() == proto::COMPLEX64) return {};
  return operators::to_golden(tensor);
}

}  // namespace

proto::Tensor real_pairs(proto::Tensor tensor) {
  if (tensor.dtype() == proto::COMPLEX64) tensor.set_dtype(proto::FLOAT32);
  return tensor;
}

double noise_floor(const proto::Tensor& reference, const operators::GoldenTensor& wanted) {
  const proto::Tensor tensor = real_pairs(reference);
  if (!operators::is_floating(tensor.dtype()) ||
      tensor.data().size() != wanted.values.size() * proto::element_size(tensor.dtype()))
    return 0;
  double floor = 0;
  for (std::size_t n = 0; n < wanted.values.size(); ++n) {
    const double error = std::abs(operators::read_element(tensor.dtype(), tensor.data().data(), n) - wanted.values[n]);
    const double excess = error - element_tolerance(tensor.dtype(), wanted.values[n], 0) / kNoiseTimes;
    if (std::isfinite(excess)) floor = std::max(floor, kNoiseTimes * excess);
  }
  return floor;
}

double published_tolerance(const proto::Check& check, proto::DType dtype, double wanted) {
  if (!operators::is_floating(dtype) || check.name() == "exact") return 0;
  const double size = std::abs(wanted);
  if (check.name() == "allclose") return (check.absolute() + check.relative() * size) * (1 + check.relative());
  if (check.name() == "scaled" || check.name() == "scaled_float32")
    return check.relative() * std::max(1.0, size) * 1.01;
  return std::max(check.absolute(), check.relative() * (size + 1e-7)) * 1.01;
}

std::vector<JudgedBy> judged_by(const proto::Check& check, const std::vector<CheckedRun>& runs) {
  std::vector<JudgedBy> judged(runs.front().expected.golden.size(), JudgedBy::kChecker);
  for (std::size_t o = 0; o < judged.size(); ++o) {
    if (!operators::is_floating(real_pairs(runs.front().expected.golden[o]).dtype())) continue;
    std::vector<operators::GoldenTensor> wanted;
    for (const CheckedRun& run : runs) wanted.push_back(wanted_of(run.expected, o));
    for (int i = 0; i < std::max(1, runs.front().inputs.size()); ++i) {
      Answers answers;
      for (std::size_t r = 0; r < runs.size(); ++r)
        add_run(answers, check, runs[r], o, wanted[r],
                i < runs[r].inputs.size() ? numbers_of(runs[r].inputs[i]) : operators::GoldenTensor{});
      for (int guess = 0; guess < 3; ++guess) {
        if (!passes(answers[kPublished], guess) || passes(answers[kExactly], guess)) continue;
        judged[o] = std::max(judged[o], passes(answers[kStrict], guess) ? JudgedBy::kNothing : JudgedBy::kScale);
      }
    }
  }
  return judged;
}

bool passes_by_scale(const BenchmarkCase& expected, std::size_t index, const proto::Tensor& found) {
  const operators::GoldenTensor wanted = wanted_of(expected, index);
  const Comparison comparison = compare(real_pairs(found), wanted, floor_of(expected, index, wanted));
  return static_cast<double>(comparison.failing) <= kFailingShare * static_cast<double>(comparison.count);
}

}  // namespace kg::reward
