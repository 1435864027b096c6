#include "reward/judge.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "operators/golden.h"
#include "proto/dtype.h"
#include "proto/fault.h"
#include "reward/baseline.h"
#include "reward/judge_benchmark.h"
#include "reward/second_look.h"
#include "reward/tolerance.h"

namespace kg::reward {
namespace {

std::vector<int> chosen_cases(const proto::Task& task, const std::optional<int>& only_case) {
  if (task.cases().empty()) throw Error("the task has no cases", task.id(), "build or import the task again");
  if (only_case) {
    if (*only_case < 0 || *only_case >= task.cases_size())
      throw Error("case " + std::to_string(*only_case) + " is wanted, the task has 0 to " +
                      std::to_string(task.cases_size() - 1),
                  task.id(), "--case takes one of those");
    return {*only_case};
  }
  std::vector<int> all(static_cast<std::size_t>(task.cases_size()));
  for (int i = 0; i < task.cases_size(); ++i) all[static_cast<std::size_t>(i)] = i;
  return all;
}

std::string mismatch_message(const std::string& tensor, const Comparison& comparison, int case_index) {
  char text[256];
  std::snprintf(
      text, sizeof(text),
      "case %d: %llu of %llu elements of output %s are wrong; the first is element %lld: found %.9g, wanted %.9g",
      case_index, static_cast<unsigned long long>(comparison.failing),
      static_cast<unsigned long long>(comparison.count), tensor.c_str(),
      static_cast<long long>(comparison.first_failing), comparison.first_found, comparison.first_wanted);
  return text;
}

// Compares the outputs of one case; true if all of them pass.
bool compare_case(const proto::Task& task, int case_index, const std::vector<proto::Tensor>& inputs,
                  const proto::CaseResult& result, proto::Verdict& verdict) {
  const proto::TaskCase& task_case = task.cases(case_index);
  const std::vector<operators::GoldenTensor> golden = operators::golden_outputs(task.graph(), inputs);
  if (static_cast<int>(golden.size()) != task_case.outputs_size())
    throw Error("the graph has " + std::to_string(golden.size()) + " outputs, the case " +
                    std::to_string(task_case.outputs_size()),
                task.id(), "build or import the task again");
  bool equal = true;
  for (int i = 0; i < task_case.outputs_size(); ++i) {
    const std::string name = task_case.outputs(i).name();
    if (i >= result.outputs_size()) {
      add_fault(verdict, "numbers", "output " + name + " is missing");
      equal = false;
      continue;
    }
    const Comparison comparison =
        compare(result.outputs(i), golden[static_cast<std::size_t>(i)], task.absolute_bound());
    // A NaN, once seen, stays: it means that a non-finite value did not match.
    if (!std::isnan(verdict.max_abs_error()))
      verdict.set_max_abs_error(std::isnan(comparison.max_abs_error)
                                    ? comparison.max_abs_error
                                    : std::max(verdict.max_abs_error(), comparison.max_abs_error));
    if (comparison.equal) continue;
    add_fault(verdict, "numbers", mismatch_message(name, comparison, case_index));
    equal = false;
  }
  return equal;
}

void mark_invalid(proto::Verdict& verdict, const std::string& reason) {
  verdict.set_reward_valid(false);
  verdict.set_invalid_reason(reason);
  verdict.set_reward(0);
}

proto::Stage stage_of(const proto::ExecutionResult& result, const proto::Verdict& verdict, bool has_error_fault) {
  if (result.rejected()) return proto::REJECTED;
  if (!result.compiled()) return proto::COMPILE;
  if (!verdict.ran()) return proto::RUN;
  if (verdict.cases_passed() < verdict.cases_total()) return proto::COMPARE;
  return has_error_fault ? proto::CHECK : proto::CORRECT;
}

// `request` holds the program.
proto::Verdict judge_request(sandbox::Sandbox& sandbox, const proto::Task& task, proto::ExecutionRequest request,
                             const JudgeOptions& options) {
  const double started = monotonic_seconds();
  const std::vector<int> cases = chosen_cases(task, options.only_case);
  request.set_language(options.language);
  request.set_entry_point(task.entry_point());
  request.set_block_dim(task.block_dim());
  request.set_workspace_bytes(task.workspace_bytes());
  request.set_core_order_seed(options.core_order_seed);
  request.set_want_timeline(options.timeline != nullptr);
  *request.mutable_limits() = options.limits;
  if (is_imported(task)) return judge_benchmark(sandbox, task, std::move(request), cases, options);
  std::vector<std::vector<proto::Tensor>> inputs;
  for (const int index : cases) {
    inputs.push_back(operators::make_inputs(task.cases(index)));
    proto::RunCase& run_case = *request.add_cases();
    for (const proto::Tensor& tensor : inputs.back()) *run_case.add_inputs() = tensor;
    *run_case.mutable_outputs() = task.cases(index).outputs();
    *run_case.mutable_attributes() = task.cases(index).attributes();
    run_case.set_block_dim(task.cases(index).block_dim());
  }

  const proto::ExecutionResult result = sandbox.execute(request);
  proto::Verdict verdict;
  verdict.set_task(task.id());
  verdict.set_reward_preset(options.reward.preset);
  verdict.set_compiled(result.compiled());
  verdict.set_compiler_output(result.compiler_output());
  verdict.set_cases_total(static_cast<std::uint32_t>(cases.size()));
  if (!result.sandbox_error().empty()) {
    verdict.set_sandbox_error(result.sandbox_error());
    mark_invalid(verdict, "the sandbox failed: " + result.sandbox_error());
    verdict.set_wall_ms((monotonic_seconds() - started) * 1e3);
    return verdict;
  }

  bool ran = result.compiled() && result.cases_size() == static_cast<int>(cases.size());
  bool has_error_fault = false;
  std::string impossible;
  for (int i = 0; i < result.cases_size() && i < static_cast<int>(cases.size()); ++i) {
    const proto::CaseResult& case_result = result.cases(i);
    if (options.timeline != nullptr && i == 0) *options.timeline = case_result.timeline_json();
    const int index = cases[static_cast<std::size_t>(i)];
    for (const proto::Fault& fault : case_result.faults()) {
      *verdict.add_faults() = fault;
      has_error_fault |= fault.severity() == proto::ERROR;
    }
    if (!case_result.ran()) {
      ran = false;
      continue;
    }
    verdict.set_cycles(verdict.cycles() + case_result.cycles());
    verdict.set_baseline_cycles(verdict.baseline_cycles() + baseline_cycles(task.graph(), task.cases(index)));
    if (compare_case(task, index, inputs[static_cast<std::size_t>(i)], case_result, verdict))
      verdict.set_cases_passed(verdict.cases_passed() + 1);
    const std::uint64_t roofline = roofline_cycles(task.cases(index));
    if (case_result.cycles() < roofline && impossible.empty())
      impossible = "case " + std::to_string(index) + " took " + std::to_string(case_result.cycles()) +
                   " cycles, its bytes alone take " + std::to_string(roofline);
  }
  verdict.set_ran(ran);
  verdict.set_stage(stage_of(result, verdict, has_error_fault));
  if (verdict.stage() == proto::CORRECT && options.second_look) {
    const Doubt doubt = second_look(sandbox, task, cases, std::move(request));
    if (!doubt.sandbox_error.empty()) {
      verdict.set_sandbox_error(doubt.sandbox_error);
      mark_invalid(verdict, "the sandbox failed: " + doubt.sandbox_error);
      verdict.set_wall_ms((monotonic_seconds() - started) * 1e3);
      return verdict;
    }
    if (!doubt.reason.empty()) {
      add_fault(verdict, "second look", doubt.reason);
      verdict.set_cases_passed(0);
      verdict.set_stage(proto::COMPARE);
    }
    verdict.set_cycles(std::max(verdict.cycles(), doubt.cycles));
  }
  verdict.set_correct(verdict.stage() == proto::CORRECT);
  if (verdict.correct() && verdict.cycles() > 0)
    verdict.set_speedup(static_cast<double>(verdict.baseline_cycles()) / static_cast<double>(verdict.cycles()));
  verdict.set_reward_valid(true);
  verdict.set_reward(reward_of(verdict, options.reward));
  // Only a correct kernel can have cheated the clock; a wrong one may well have skipped its work.
  if (verdict.correct() && !impossible.empty()) mark_invalid(verdict, "faster than the roofline: " + impossible);
  verdict.set_wall_ms((monotonic_seconds() - started) * 1e3);
  return verdict;
}

}  // namespace

proto::Verdict judge(sandbox::Sandbox& sandbox, const proto::Task& task, const std::string& kernel_source,
                     const JudgeOptions& options) {
  proto::ExecutionRequest request;
  if (is_module(task)) {
    if (options.language != proto::ASCENDC)
      throw Error("answers to this task are PyTorch modules with operators in Ascend C", task.id(),
                  "leave --language away");
    request.mutable_module()->set_text(kernel_source);
    request.mutable_module()->set_operator_name(task.entry_point());
    request.mutable_module()->set_rules(options.module_rules);
  } else {
    request.set_source(kernel_source);
  }
  return judge_request(sandbox, task, std::move(request), options);
}

proto::Verdict judge_project(sandbox::Sandbox& sandbox, const proto::Task& task,
                             const std::vector<proto::ProjectFile>& files, const JudgeOptions& options) {
  if (is_module(task))
    throw Error("an operator project alone does not answer this task: its module calls operators by a binding",
                task.id(), "give the answer with its six texts by --kernel");
  proto::ExecutionRequest request;
  for (const proto::ProjectFile& file : files) *request.add_project() = file;
  return judge_request(sandbox, task, std::move(request), options);
}

proto::Verdict judge_surely(sandbox::Sandbox& sandbox, const proto::Task& task, const std::string& kernel_source,
                            const JudgeOptions& options) {
  constexpr int kMostTries = 4;  // a host may be busy for seconds
  proto::Verdict verdict = judge(sandbox, task, kernel_source, options);
  for (int tries = 1; tries < kMostTries && !verdict.sandbox_error().empty(); ++tries)
    verdict = judge(sandbox, task, kernel_source, options);
  if (!verdict.sandbox_error().empty())
    throw Error("the sandbox failed: " + verdict.sandbox_error(), task.id(),
                "kgtrain doctor says what the machine lacks", Error::Kind::kEnvironment);
  return verdict;
}

proto::Verdict verdict_unjudged(const proto::Task& task, const Error& error) {
  proto::Verdict verdict;
  verdict.set_task(task.id());
  verdict.set_sandbox_error(error.full_message());
  verdict.set_invalid_reason("it could not be judged");
  return verdict;
}

proto::Verdict verdict_without_kernel(const proto::Task& task, const std::string& reason, const RewardConfig& reward) {
  proto::Verdict verdict;
  verdict.set_task(task.id());
  verdict.set_stage(proto::REJECTED);
  verdict.set_cases_total(static_cast<std::uint32_t>(task.cases_size()));
  verdict.set_compiler_output(reason);
  verdict.set_reward_preset(reward.preset);
  verdict.set_reward_valid(true);
  verdict.set_reward(reward_of(verdict, reward));
  return verdict;
}

}  // namespace kg::reward
