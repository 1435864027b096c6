#include "reward/judge.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "proto/dtype.h"
#include "proto/fault.h"
#include "reward/case_source.h"
#include "reward/judge_version.h"
#include "reward/own_cases.h"
#include "reward/time_limits.h"
#include "reward/verdict.h"

namespace kg::reward {
namespace {

std::vector<int> chosen_cases(const proto::Task& task, const std::optional<int>& only_case) {
  if (task.cases().empty()) throw Error("the task has no cases", task.id(), "build or import the task again");
  if (only_case) {
    if (*only_case < 0 || *only_case >= task.cases_size())
      throw Error("case " + std::to_string(*only_case) + " does not exist, the task has 0 to " +
                      std::to_string(task.cases_size() - 1),
                  task.id(), "--case takes one of those");
    return {*only_case};
  }
  std::vector<int> all(static_cast<std::size_t>(task.cases_size()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void prepare(proto::ExecutionRequest& request, const proto::Task& task, const JudgeOptions& options) {
  request.set_language(options.language);
  request.set_entry_point(task.entry_point());
  request.set_block_dim(task.block_dim());
  request.set_workspace_bytes(task.workspace_bytes());
  request.set_core_order_seed(options.core_order_seed);
  request.set_want_timeline(options.timeline != nullptr);
  request.set_want_profile(options.cycle_report != nullptr);
  *request.mutable_limits() = options.limits;
  if (options.limits.compile_seconds() <= 0) {
    std::size_t bytes = request.source().size() + request.module().text().size();
    for (const proto::ProjectFile& file : request.project()) bytes += file.content().size();
    request.mutable_limits()->set_compile_seconds(compile_seconds(bytes));
  }
  add_sizes_to_lower(task, request);
}

// The findings of all cases' runs that have no field in the verdict.
struct Runs {
  bool started = false;  // the compiler was asked
  bool rejected = false;
  bool stopped = false;  // cases that are left count, but are not run
  bool all_ended = true;
  bool has_error_fault = false;
  std::string impossible;  // how a case was faster than the device can be; empty: none was
  std::string untold;      // why the cases do not tell whether the kernel is right; empty: they do
};

void take_case(CaseSource& source, int index, proto::RunCase& asked, proto::CaseResult& given, Runs& runs,
               proto::Verdict& verdict) {
  for (const proto::Fault& fault : given.faults()) {
    *verdict.add_faults() = fault;
    runs.has_error_fault |= fault.severity() == proto::ERROR;
    // A benchmark scores each case; but a hanging kernel is waited for only once, not for every case.
    runs.stopped |= !given.ran() && has_class(fault, proto::FaultClass::kLimit);
  }
  if (!given.ran()) {
    runs.all_ended = false;
    return;
  }
  const std::uint64_t cycles = given.cycles();
  verdict.set_cycles(verdict.cycles() + cycles);
  verdict.set_baseline_cycles(verdict.baseline_cycles() + source.baseline(index));
  source.compare(index, asked, given, verdict);
  const Roofline roofline = source.roofline(index);
  if (cycles < roofline.cycles && runs.impossible.empty())
    runs.impossible = "case " + std::to_string(index) + " took " + std::to_string(cycles) + " cycles, " +
                      roofline.bytes + " " + std::to_string(roofline.cycles);
}

std::uint64_t bytes_of(const proto::RunCase& asked) {
  std::uint64_t bytes = 0;
  for (const proto::Tensor& input : asked.inputs()) bytes += input.data().size();
  for (const proto::TensorSpec& output : asked.outputs()) bytes += proto::byte_size(output);
  return bytes;
}

// Results requested besides the verdict, for the first case.
void take_looks(int index, const proto::RunCase& asked, const proto::CaseResult& given, const JudgeOptions& options) {
  if (options.timeline != nullptr) *options.timeline = given.timeline_json();
  if (options.printed != nullptr) *options.printed = given.output();
  if (options.cycle_report == nullptr || !given.has_profile()) return;
  *options.cycle_report = {.index = index,
                           .profile = given.profile(),
                           .bytes_read = given.bytes_read(),
                           .bytes_written = given.bytes_written(),
                           .tensor_bytes = bytes_of(asked)};
}

// Runs the cases of one request. Returns the sandbox's error, if it failed.
std::string run_together(sandbox::Sandbox& sandbox, CaseSource& source, const std::vector<int>& cases,
                         proto::ExecutionRequest& request, const JudgeOptions& options, Runs& runs,
                         proto::Verdict& verdict) {
  source.fill(cases, request);
  proto::ExecutionResult result = sandbox.execute(request);
  if (!result.sandbox_error().empty()) return result.sandbox_error();
  if (!runs.started) {
    verdict.set_compiled(result.compiled());
    verdict.set_compiler_output(result.compiler_output());
    runs.rejected = result.rejected();
    if (!result.cases().empty()) take_looks(cases.front(), request.cases(0), result.cases(0), options);
    runs.started = true;
  }
  if (!result.compiled() || result.cases().empty()) runs.stopped = true;
  if (!result.compiled() || result.cases_size() != static_cast<int>(cases.size())) runs.all_ended = false;
  for (int i = 0; i < result.cases_size() && i < static_cast<int>(cases.size()); ++i)
    take_case(source, cases[static_cast<std::size_t>(i)], *request.mutable_cases(i), *result.mutable_cases(i), runs,
              verdict);
  request.clear_cases();
  return "";
}

proto::Stage stage_of(const Runs& runs, const proto::Verdict& verdict) {
  if (runs.rejected) return proto::REJECTED;
  if (!verdict.compiled()) return proto::COMPILE;
  if (!verdict.ran()) return proto::RUN;
  if (verdict.cases_total() == 0 || verdict.cases_passed() < verdict.cases_total()) return proto::COMPARE;
  return runs.has_error_fault ? proto::CHECK : proto::CORRECT;
}

// Takes back that a kernel is correct if a second look finds reason to. Returns the sandbox's error, if it failed.
std::string doubt(sandbox::Sandbox& sandbox, CaseSource& source, proto::ExecutionRequest request, Runs& runs,
                  proto::Verdict& verdict) {
  const Doubt doubt = source.look_again(sandbox, std::move(request));
  if (!doubt.sandbox_error.empty()) return doubt.sandbox_error;
  if (!doubt.reason.empty()) {
    add_fault(verdict, proto::FaultClass::kSecondLook, doubt.reason);
    verdict.set_cases_passed(0);
    verdict.set_stage(proto::COMPARE);
  }
  verdict.set_cycles(std::max(verdict.cycles(), doubt.cycles));
  runs.untold = doubt.no_result;
  return "";
}

void conclude(proto::Verdict& verdict, const Runs& runs, const RewardConfig& reward) {
  verdict.set_correct(verdict.stage() == proto::CORRECT);
  if (verdict.correct() && verdict.cycles() > 0)
    verdict.set_speedup(static_cast<double>(verdict.baseline_cycles()) / static_cast<double>(verdict.cycles()));
  verdict.set_reward_valid(true);
  verdict.set_reward(reward_of(verdict, reward));
  // Only a correct kernel can have cheated the clock; a wrong one may well have skipped its work.
  if (verdict.correct() && !runs.impossible.empty())
    mark_invalid(verdict, "faster than the roofline: " + runs.impossible);
  else if (verdict.correct() && !runs.untold.empty())
    mark_invalid(verdict, runs.untold);
}

// Fills in the verdict. Returns the sandbox's error if it failed: then the verdict says nothing about the kernel.
std::string judge_cases(sandbox::Sandbox& sandbox, CaseSource& source, proto::ExecutionRequest request,
                        const JudgeOptions& options, proto::Verdict& verdict) {
  Runs runs;
  for (const std::vector<int>& together : source.requests()) {
    std::vector<int> cases;
    for (const int index : together)
      if (source.counts(index, verdict)) cases.push_back(index);
    verdict.set_cases_total(verdict.cases_total() + static_cast<std::uint32_t>(cases.size()));
    if (cases.empty() || runs.stopped) continue;
    const std::string error = run_together(sandbox, source, cases, request, options, runs, verdict);
    if (!error.empty()) return error;
  }
  verdict.set_ran(verdict.compiled() && runs.all_ended);
  source.conclude(verdict);
  verdict.set_stage(stage_of(runs, verdict));
  if (verdict.stage() == proto::CORRECT && options.second_look) {
    const std::string error = doubt(sandbox, source, std::move(request), runs, verdict);
    if (!error.empty()) return error;
  }
  conclude(verdict, runs, options.reward);
  return "";
}

// `request` holds the program.
proto::Verdict judge_request(sandbox::Sandbox& sandbox, const proto::Task& task, proto::ExecutionRequest request,
                             const JudgeOptions& options) {
  const double started = monotonic_seconds();
  proto::Verdict verdict;
  verdict.set_task(task.id());
  verdict.set_judge_version(judge_version());
  verdict.set_reward_preset(options.reward.preset);
  prepare(request, task, options);
  const auto source = case_source(task, chosen_cases(task, options.only_case), options, verdict);
  const std::string error = judge_cases(sandbox, *source, std::move(request), options, verdict);
  if (!error.empty()) {
    verdict.set_sandbox_error(error);
    mark_invalid(verdict, "the sandbox failed: " + error);
  }
  verdict.set_wall_ms((monotonic_seconds() - started) * 1e3);
  return verdict;
}

}  // namespace

proto::Verdict judge(sandbox::Sandbox& sandbox, const proto::Task& task, const std::string& kernel_source,
                     const JudgeOptions& options) {
  proto::ExecutionRequest request;
  if (is_module(task)) {
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
    throw Error("an operator project alone cannot answer this task: its module calls operators by a binding", task.id(),
                "give the answer with its six texts by --kernel");
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
                "kgtrain doctor shows what this machine lacks", Error::Kind::kEnvironment);
  return verdict;
}

}  // namespace kg::reward
