#include "reward/own_cases.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "proto/fault.h"
#include "reward/baseline.h"
#include "reward/run_case.h"
#include "reward/time_limits.h"
#include "reward/tolerance.h"
#include "reward/verdict.h"

namespace kg::reward {

OwnCases::OwnCases(const proto::Task& task, std::vector<int> cases, const JudgeOptions& options)
    : task_(task), options_(options), cases_(std::move(cases)) {}

std::vector<std::vector<int>> OwnCases::requests() const { return {cases_}; }

bool OwnCases::counts(int index, proto::Verdict&) {
  if (!task_.cases(index).checked().empty()) return true;
  if (cases_.size() == 1)
    throw Error("the case is only there for its sizes, for which a program in the DSL is lowered",
                task_.id() + " case " + std::to_string(index), "choose another --case");
  return false;
}

void OwnCases::fill(const std::vector<int>& cases, proto::ExecutionRequest& request) {
  double seconds = 0;
  for (const int index : cases) {
    BenchmarkCase& data = data_[index] = options_.benchmark_cases.get(task_, index);
    const proto::TaskCase& task_case = task_.cases(index);
    if (static_cast<int>(data.inputs.size()) != task_case.inputs_size() ||
        static_cast<int>(data.golden64.size()) != task_case.outputs_size())
      throw Error("the tensors of case " + std::to_string(index) + " are not in the data set", task_.id(),
                  "add the operator again: kgtrain tasks add");
    proto::RunCase run_case = run_case_of(task_case, std::move(data.inputs));
    run_case.clear_call();  // belongs to the module
    *request.add_cases() = std::move(run_case);
    seconds = std::max(seconds, own_run_seconds(task_case));
  }
  if (options_.limits.run_seconds() <= 0) request.mutable_limits()->set_run_seconds(seconds);
}

std::string OwnCases::wrong(int index, const proto::CaseResult& given, double& max_error) const {
  const proto::TaskCase& task_case = task_.cases(index);
  const BenchmarkCase& data = data_.at(index);
  std::string text;
  for (int i = 0; i < task_case.outputs_size(); ++i) {
    const std::string& name = task_case.outputs(i).name();
    const proto::CheckedTensor& checked = task_case.checked(i);
    if (i >= given.outputs_size()) return "output " + name + " is missing";
    const Comparison found =
        reward::compare(given.outputs(i), data.golden64[static_cast<std::size_t>(i)], checked.absolute());
    max_error = std::max(max_error, found.max_abs_error);
    if (found.equal || !text.empty()) continue;
    text = fmt::format(
        "{} of {} elements of output {} are wrong; the first is element {}: found {:.9g}, wanted {:.9g} "
        "(bounds: relative {:.2g}, absolute {:.2g})",
        found.failing, found.count, name, found.first_failing, found.first_found, found.first_wanted,
        checked.relative(), checked.absolute());
  }
  return text;
}

bool OwnCases::compare(int index, proto::RunCase& asked, proto::CaseResult& given, proto::Verdict& verdict) {
  double max_error = 0;
  const std::string why = wrong(index, given, max_error);
  note_error(verdict, max_error);
  if (!why.empty()) {
    add_fault(verdict, proto::FaultClass::kNumbers, "case " + std::to_string(index) + ": " + why);
    return false;
  }
  verdict.set_cases_passed(verdict.cases_passed() + 1);
  asked_[index].Swap(&asked);
  return true;
}

std::uint64_t OwnCases::baseline(int index) const { return operators_baseline_cycles(task_.cases(index)); }

Roofline OwnCases::roofline(int index) const {
  return {benchmark_roofline_cycles(task_.cases(index)), "the bytes it writes alone take"};
}

Doubt OwnCases::look_again(sandbox::Sandbox& sandbox, proto::ExecutionRequest request) {
  request.clear_cases();
  request.set_want_timeline(false);
  request.set_want_profile(false);
  request.set_core_order_seed(hash64(request.source() + task_.id()) | 1);  // 0 would be the usual order
  for (const auto& [index, asked] : asked_) *request.add_cases() = asked;
  const proto::ExecutionResult result = sandbox.execute(request);
  if (!result.sandbox_error().empty()) return {"", result.sandbox_error()};
  int at = 0;
  for (const auto& [index, asked] : asked_) {
    const std::string where = "case " + std::to_string(index) + " in another order of the cores: ";
    if (at >= result.cases_size() || !result.cases(at).ran()) return {where + "it did not come to its end", ""};
    for (const proto::Fault& fault : result.cases(at).faults())
      if (fault.severity() == proto::ERROR) return {where + fault.message(), ""};
    double ignored = 0;
    if (const std::string why = wrong(index, result.cases(at), ignored); !why.empty()) return {where + why, ""};
    ++at;
  }
  return {};
}

void add_sizes_to_lower(const proto::Task& task, proto::ExecutionRequest& request) {
  if (request.language() != proto::DSL) return;
  for (const proto::TaskCase& task_case : task.cases()) {
    if (!is_for_sizes_alone(task_case)) continue;
    proto::RunCase& sizes = *request.add_lowered_for();
    for (const proto::TensorSpec& spec : task_case.inputs()) {
      proto::Tensor& tensor = *sizes.add_inputs();
      tensor.set_name(spec.name());
      tensor.set_dtype(spec.dtype());
      *tensor.mutable_shape() = spec.shape();
      tensor.set_absent(spec.absent());
    }
    *sizes.mutable_outputs() = task_case.outputs();
    sizes.set_block_dim(task_case.block_dim());
    sizes.set_call(task_case.call());
  }
}

}  // namespace kg::reward
