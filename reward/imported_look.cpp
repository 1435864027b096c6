#include "reward/imported_look.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "operators/number_format.h"
#include "proto/dtype.h"

namespace kg::reward {
namespace {

constexpr int kFewNumbers = 16;  // an input of fewer is a parameter rather than data; an output may be guessed
constexpr int kWideLooks = 1, kWideLooksAtFew = 3;
constexpr double kLeastFactor = 0.5;  // smallest factor for shaken numbers

std::int64_t count_of(const proto::Tensor& tensor) {
  return static_cast<std::int64_t>(tensor.data().size() / proto::element_size(tensor.dtype()));
}

bool is_data(const proto::Tensor& tensor) {
  return !tensor.absent() && operators::is_floating(tensor.dtype()) && count_of(tensor) >= kFewNumbers;
}

bool all_finite(const std::vector<proto::Tensor>& tensors) {
  for (const proto::Tensor& tensor : tensors) {
    if (!operators::is_floating(tensor.dtype())) continue;
    for (std::size_t n = 0; n < static_cast<std::size_t>(count_of(tensor)); ++n)
      if (!std::isfinite(operators::read_element(tensor.dtype(), tensor.data().data(), n))) return false;
  }
  return true;
}

// A number that is not whole and not constant by nature changes when all its inputs change.
bool is_telling(const proto::Tensor& output) {
  if (output.absent() || !operators::is_floating(output.dtype())) return false;
  for (std::size_t n = 0; n < static_cast<std::size_t>(count_of(output)); ++n) {
    const double value = operators::read_element(output.dtype(), output.data().data(), n);
    if (std::isfinite(value) && value != std::floor(value)) return true;
  }
  return false;
}

struct OtherLook {
  BenchmarkCase expected;
  proto::RunCase run_case;
};

// The reference's results on other inputs, if they can be compared: numbers where the case has numbers.
std::vector<OtherLook> other_looks(const ImportedCase& one, const proto::ExecutionRequest& request) {
  const bool few = std::all_of(one.expected.golden.begin(), one.expected.golden.end(),
                               [](const proto::Tensor& golden) { return count_of(golden) < kFewNumbers; });
  std::vector<OtherLook> looks;
  if (!one.other) return looks;
  for (int turn = one.large ? 1 : 0; turn <= (few && !one.large ? kWideLooksAtFew : kWideLooks); ++turn) {
    auto expected = one.other({.seed = seed_of(request, "other " + std::to_string(turn)), .wide = turn > 0});
    if (!expected || expected->inputs.size() != static_cast<std::size_t>(one.asked.inputs_size())) continue;
    if (all_finite(one.expected.golden) && !all_finite(expected->golden)) continue;
    OtherLook& look = looks.emplace_back();
    look.run_case = one.asked;
    for (std::size_t i = 0; i < expected->inputs.size(); ++i)
      *look.run_case.mutable_inputs(static_cast<int>(i)) = std::move(expected->inputs[i]);
    look.expected = std::move(*expected);
  }
  return looks;
}

// The right outputs are unknown: only unchanged outputs prove anything.
bool shake_all(proto::RunCase& run_case, std::uint64_t seed) {
  bool differs = false;
  for (int i = 0; i < run_case.inputs_size(); ++i) {
    proto::Tensor& input = *run_case.mutable_inputs(i);
    if (!is_data(input)) continue;
    const proto::Tensor changed = shaken(input, seed + static_cast<std::uint64_t>(i));
    differs = differs || changed.data() != input.data();
    input = changed;
  }
  return differs;
}

bool same_outputs(const proto::CaseResult& a, const proto::CaseResult& b) {
  if (a.outputs_size() != b.outputs_size()) return false;
  for (int o = 0; o < a.outputs_size(); ++o)
    if (a.outputs(o).data() != b.outputs(o).data()) return false;
  return true;
}

}  // namespace

proto::Tensor shaken(proto::Tensor tensor, std::uint64_t seed) {
  Philox random(seed, /*stream=*/0x7368616b);
  for (std::size_t n = 0; n < static_cast<std::size_t>(count_of(tensor)); ++n) {
    const double factor = kLeastFactor + (1 - kLeastFactor) * random.next_double();
    operators::write_element(tensor.dtype(), tensor.mutable_data()->data(), n,
                             factor * operators::read_element(tensor.dtype(), tensor.data().data(), n));
  }
  return tensor;
}

Doubt second_look_imported(sandbox::Sandbox& sandbox, const ImportedCase& one, proto::ExecutionRequest request) {
  request.clear_cases();
  request.set_want_timeline(false);
  request.set_want_profile(false);
  const std::vector<OtherLook> looks = other_looks(one, request);
  std::vector<CheckedRun> runs = {{one.asked.inputs(), one.expected}};
  for (const OtherLook& look : looks) runs.push_back({look.run_case.inputs(), look.expected});
  const std::vector<JudgedBy> judged = judged_by(one.check, runs);
  const std::uint64_t shake = seed_of(request, "shake");
  request.set_core_order_seed(seed_of(request, "order"));
  const bool again = !one.large || looks.empty();
  if (again) *request.add_cases() = one.asked;
  const int first = request.cases_size();
  for (const OtherLook& look : looks) *request.add_cases() = look.run_case;
  proto::RunCase blind = one.asked;
  const bool tells = looks.empty() && std::any_of(one.given.outputs().begin(), one.given.outputs().end(), is_telling) &&
                     shake_all(blind, shake);
  if (tells) *request.add_cases() = blind;
  const proto::ExecutionResult result = sandbox.execute(request);
  if (!result.sandbox_error().empty()) return {"", result.sandbox_error()};
  if (again) {
    if (const std::string end = end_of(result, 0); !end.empty()) return {"in another order of the cores: " + end, ""};
    if (!one.passes(result.cases(0), one.expected, judged))
      return {"in another order of the cores its outputs are wrong", ""};
  }
  for (std::size_t i = 0; i < looks.size(); ++i) {
    const int at = first + static_cast<int>(i);
    if (const std::string end = end_of(result, static_cast<std::size_t>(at)); !end.empty())
      return {"with other inputs: " + end, ""};
    if (!one.passes(result.cases(at), looks[i].expected, judged))
      return {"with other inputs its outputs are not what the benchmark's reference gives", ""};
  }
  // Shaken inputs may violate an operator's requirements: only a run that finished proves anything.
  if (tells && result.cases_size() == 2 && result.cases(1).ran() && same_outputs(result.cases(1), one.given))
    return {"with other inputs it leaves the same outputs, bit by bit; they do not depend on the inputs", ""};
  Doubt believed{.reason = "", .sandbox_error = "", .cycles = looks.empty() ? 0 : result.cases(first).cycles()};
  if (std::find(judged.begin(), judged.end(), JudgedBy::kNothing) != judged.end())
    believed.no_result =
        "a constant, a copy or an affine function of one input is right for it to within rounding, "
        "which the operator is not: these inputs cannot tell them apart";
  return believed;
}

}  // namespace kg::reward
