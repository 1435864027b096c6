#include "reward/second_look.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/hash.h"
#include "operators/golden.h"
#include "operators/number_format.h"
#include "proto/dtype.h"
#include "reward/run_case.h"
#include "reward/tolerance.h"

namespace kg::reward {
namespace {

constexpr double kNoiseSlack = 4;        // on the noise floor, which was measured on other numbers
constexpr double kFailingShare = 0.001;  // share of elements that may be out of tolerance: rounding must not decide
constexpr int kFewNumbers = 16;          // an input of fewer is a parameter rather than data; an output may be guessed
constexpr int kLooksAtFew = 3;           // at each case whose outputs are all so few
constexpr double kNormalRange = 3;       // standard deviations that numbers drawn in place of normal ones span

bool is_data(const proto::TensorSpec& spec) {
  if (!operators::is_floating(spec.dtype())) return false;
  const proto::Distribution& drawn = spec.distribution();
  return drawn.kind() == proto::Distribution::UNIFORM || drawn.kind() == proto::Distribution::UNEVEN ||
         drawn.kind() == proto::Distribution::NORMAL;
}

// The same range, but a part of the numbers says nothing about the rest.
void make_uneven(proto::Distribution& drawn) {
  if (drawn.kind() == proto::Distribution::NORMAL) {
    const double mean = drawn.low(), reach = kNormalRange * drawn.high();
    drawn.set_low(mean - reach);
    drawn.set_high(mean + reach);
  }
  drawn.set_kind(proto::Distribution::UNEVEN);
}

bool all_finite(const proto::TaskCase& task_case, const std::vector<operators::GoldenTensor>& golden) {
  for (std::size_t o = 0; o < golden.size(); ++o)
    for (const double value : golden[o].values)
      if (!std::isfinite(operators::round_to(task_case.outputs(static_cast<int>(o)).dtype(), value))) return false;
  return true;
}

// Inputs from the case's range, uneven if the operator then stays within its type, else as the case draws its own.
Look look_at(const proto::Task& task, int index, std::uint64_t seed) {
  Look look{.case_index = index, .inputs = {}, .golden = {}};
  for (const bool uneven : {true, false}) {
    proto::TaskCase task_case = task.cases(index);
    task_case.set_seed(seed);
    for (proto::TensorSpec& spec : *task_case.mutable_inputs())
      if (uneven && is_data(spec)) make_uneven(*spec.mutable_distribution());
    look.inputs = operators::make_inputs(task_case);
    look.golden = operators::golden_outputs(task.graph(), look.inputs);
    if (all_finite(task_case, look.golden)) break;
  }
  return look;
}

}  // namespace

std::uint64_t seed_of(const proto::ExecutionRequest& request, const std::string& salt) {
  std::string text = request.source() + request.module().text() + '\n' + salt;
  for (const proto::ProjectFile& file : request.project()) text += file.path() + '\n' + file.content();
  return hash64(text) | 1;  // 0 would mean the usual order of the cores
}

std::string end_of(const proto::ExecutionResult& result, std::size_t index) {
  if (!result.compiled()) return "it did not compile again";
  if (static_cast<int>(index) >= result.cases_size()) return "it was not run";
  for (const proto::Fault& fault : result.cases(static_cast<int>(index)).faults())
    if (fault.severity() == proto::ERROR) return fault.message();
  return result.cases(static_cast<int>(index)).ran() ? "" : "it did not come to its end";
}

std::vector<Look> looks_at(const proto::Task& task, const std::vector<int>& cases,
                           const proto::ExecutionRequest& request) {
  std::vector<Look> looks;
  for (const int index : cases) {
    const auto& outputs = task.cases(index).outputs();
    const bool few = std::all_of(outputs.begin(), outputs.end(), [](const proto::TensorSpec& output) {
      return proto::element_count(output.shape()) < kFewNumbers;
    });
    for (int turn = 0; turn < (few ? kLooksAtFew : 1); ++turn) {
      const std::string salt = turn == 0 ? "" : "\n" + std::to_string(turn);
      looks.push_back(look_at(task, index, seed_of(request, task.id() + '\n' + std::to_string(index) + salt)));
      looks.back().counts_cycles = turn == 0;
    }
  }
  return looks;
}

bool passes_second_look(const proto::Task& task, const proto::Tensor& found, const operators::GoldenTensor& wanted) {
  const Comparison comparison = compare(found, wanted, kNoiseSlack * task.absolute_bound());
  return static_cast<double>(comparison.failing) <= kFailingShare * static_cast<double>(comparison.count);
}

Doubt second_look(sandbox::Sandbox& sandbox, const proto::Task& task, const std::vector<int>& cases,
                  proto::ExecutionRequest request) {
  request.clear_cases();
  request.set_want_timeline(false);
  request.set_want_profile(false);
  const std::vector<Look> looks = looks_at(task, cases, request);
  request.set_core_order_seed(seed_of(request, "order"));
  for (const Look& look : looks) *request.add_cases() = run_case_of(task.cases(look.case_index), look.inputs);
  const proto::ExecutionResult result = sandbox.execute(request);
  if (!result.sandbox_error().empty()) return {"", result.sandbox_error()};
  std::uint64_t cycles = 0;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    const Look& look = looks[i];
    const std::string where =
        "case " + std::to_string(look.case_index) + " with other inputs and another order of the cores: ";
    if (const std::string end = end_of(result, i); !end.empty()) return {where + end, ""};
    const proto::CaseResult& found = result.cases(static_cast<int>(i));
    if (look.counts_cycles) cycles += found.cycles();
    for (std::size_t o = 0; o < look.golden.size(); ++o)
      if (!passes_second_look(task, found.outputs(static_cast<int>(o)), look.golden[o]))
        return {where + "elements of output " + std::to_string(o) + " are wrong, but were right with the task's inputs",
                ""};
  }
  return {"", "", cycles};
}

}  // namespace kg::reward
