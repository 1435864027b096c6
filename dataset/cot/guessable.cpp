#include "dataset/cot/guessable.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/hash.h"
#include "operators/golden.h"
#include "operators/number_format.h"
#include "proto/dtype.h"
#include "reward/affine_answer.h"
#include "reward/tolerance.h"

namespace kg::dataset::cot {
namespace {

using operators::GoldenTensor;

constexpr int kSeeds = 4, kSeedsOfFew = 8;  // few elements prove less
constexpr std::size_t kFew = 16;            // outputs with fewer elements must differ in each
constexpr double kSpread = 100;             // spread of an output with few elements, in tolerances
constexpr double kApart = 4;                // tolerances between elements that differ
constexpr double kShareApart = 0.1;         // share of an output's elements that differ between two seeds
constexpr double kNoiseShare = 1e-3;        // share of an output's size that rounding may change
constexpr double kAlikePairs = 0.1;         // share of pairs of seeds whose outputs of few elements may be alike

double tolerance(const proto::Task& task, proto::DType dtype, double wanted) {
  return reward::element_tolerance(dtype, wanted, task.absolute_bound());
}

bool alike(const proto::Task& task, proto::DType dtype, const GoldenTensor& a, const GoldenTensor& b) {
  std::size_t apart = 0;
  for (std::size_t n = 0; n < a.values.size(); ++n) {
    const double x = operators::round_to(dtype, a.values[n]), y = operators::round_to(dtype, b.values[n]);
    const double allowed = std::max(tolerance(task, dtype, x), tolerance(task, dtype, y));
    apart += std::abs(x - y) > kApart * allowed;
  }
  return static_cast<double>(apart) < std::max(1.0, kShareApart * static_cast<double>(a.values.size()));
}

// For the element that spreads most.
double spread(const proto::Task& task, proto::DType dtype, const std::vector<GoldenTensor>& answers) {
  double most = 0;
  for (std::size_t n = 0; n < answers[0].values.size(); ++n) {
    std::vector<double> values;
    for (const GoldenTensor& answer : answers) values.push_back(answer.values[n]);
    std::sort(values.begin(), values.end());
    std::vector<double> tolerances;
    for (const double value : values) tolerances.push_back(tolerance(task, dtype, value));
    std::sort(tolerances.begin(), tolerances.end());
    most = std::max(most, (values.back() - values.front()) / std::max(tolerances[tolerances.size() / 2], 1e-300));
  }
  return most;
}

std::string why_constant(const proto::Task& task, const proto::TensorSpec& output,
                         const std::vector<GoldenTensor>& answers) {
  const bool few = answers[0].values.size() < kFew;
  int pairs = 0, alike_pairs = 0;
  for (std::size_t a = 0; a < answers.size(); ++a)
    for (std::size_t b = a + 1; b < answers.size(); ++b, ++pairs)
      alike_pairs += alike(task, output.dtype(), answers[a], answers[b]);
  if (alike_pairs > (few ? kAlikePairs * pairs : 0))
    return output.name() + " hardly depends on the inputs: " + std::to_string(alike_pairs) + " of " +
           std::to_string(pairs) + " pairs of seeds give the same";
  if (few && operators::is_floating(output.dtype()))
    if (const double found = spread(task, output.dtype(), answers); found < kSpread)
      return output.name() + " spreads over " + std::to_string(found) + " tolerances";
  return "";
}

// If terms cancel out before a division, rounding decides, and a tolerance for it would accept anything.
std::string why_noise(const proto::Task& task, const proto::TensorSpec& output, const GoldenTensor& answer) {
  if (!operators::is_floating(output.dtype())) return "";
  double squares = 0;
  for (const double value : answer.values) squares += value * value;
  const double size = std::sqrt(squares / static_cast<double>(answer.values.size()));
  return task.absolute_bound() > kNoiseShare * size ? output.name() + " is moved by rounding" : "";
}

// The operator's results on the inputs of several seeds.
struct Draws {
  std::vector<std::vector<GoldenTensor>> inputs, answers;  // by seed
};

Draws draws_of(const proto::Task& task) {
  const auto& outputs = task.cases(0).outputs();
  const bool few = std::any_of(outputs.begin(), outputs.end(), [](const proto::TensorSpec& output) {
    return proto::element_count(output.shape()) < static_cast<std::int64_t>(kFew);
  });
  Draws draws;
  for (int seed = 0; seed < (few ? kSeedsOfFew : kSeeds); ++seed) {
    proto::TaskCase drawn = task.cases(0);
    if (seed > 0) drawn.set_seed(hash64("guess " + std::to_string(seed)) ^ drawn.seed());
    const std::vector<proto::Tensor> inputs = operators::make_inputs(drawn);
    draws.answers.push_back(operators::golden_outputs(task.graph(), inputs));
    draws.inputs.emplace_back();
    for (const proto::Tensor& tensor : inputs) draws.inputs.back().push_back(operators::to_golden(tensor));
  }
  return draws;
}

// Over all seeds at once: one multiple must be right for each.
std::string why_affine(const proto::Task& task, const Draws& draws) {
  const auto& [inputs, answers] = draws;
  for (int o = 0; o < task.cases(0).outputs_size(); ++o)
    for (int i = 0; i < task.cases(0).inputs_size(); ++i) {
      const auto in = static_cast<std::size_t>(i), out = static_cast<std::size_t>(o);
      if (inputs[0][in].values.size() != answers[0][out].values.size()) continue;
      const proto::DType dtype = task.cases(0).outputs(o).dtype();
      reward::AffineAnswer by_tolerance, exact;
      for (std::size_t c = 0; c < answers.size(); ++c)
        for (std::size_t n = 0; n < answers[c][out].values.size(); ++n) {
          const double wanted = answers[c][out].values[n], from = inputs[c][in].values[n];
          by_tolerance.add(from, wanted, tolerance(task, dtype, wanted));
          exact.add(from, wanted, 1e-9 * std::max(1.0, std::abs(wanted)));
        }
      if (by_tolerance.exists() && !exact.exists())
        return task.cases(0).outputs(o).name() + " is within tolerance of a multiple of " +
               task.cases(0).inputs(i).name();
    }
  return "";
}

}  // namespace

std::string why_guessable(const proto::Task& task) {
  const Draws draws = draws_of(task);
  for (std::size_t o = 0; o < draws.answers[0].size(); ++o) {
    if (draws.answers[0][o].values.empty()) return "";  // a tensor without elements: there is nothing to guess
    const proto::TensorSpec& output = task.cases(0).outputs(static_cast<int>(o));
    if (std::string why = why_noise(task, output, draws.answers[0][o]); !why.empty()) return why;
    std::vector<GoldenTensor> answers;
    for (const auto& of_seed : draws.answers) answers.push_back(of_seed[o]);
    if (std::string why = why_constant(task, output, answers); !why.empty()) return why;
  }
  return why_affine(task, draws);
}

}  // namespace kg::dataset::cot
