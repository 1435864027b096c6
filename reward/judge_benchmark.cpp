#include "reward/judge_benchmark.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/clock.h"
#include "base/error.h"
#include "proto/dtype.h"
#include "proto/fault.h"
#include "reward/baseline.h"
#include "reward/published_check.h"
#include "reward/second_look.h"
#include "reward/tolerance.h"

namespace kg::reward {
namespace {

// Beside the sandbox's own limit: the emulated device moves this many bytes of a kernel's tensors in a second at the
// very least.
constexpr double kRunSeconds = 20;
constexpr double kBytesPerSecond = 4e6;
constexpr double kLongestRun = 600;
constexpr std::uint64_t kLargestCase = 0x7f000000;  // of a protobuf message
constexpr std::uint64_t kMostLookedAt = 4 << 20;    // a second time

std::uint64_t bytes_of(const proto::TaskCase& task_case) {
  std::uint64_t bytes = 0;
  for (const proto::TensorSpec& spec : task_case.inputs()) bytes += proto::byte_size(spec);
  for (const proto::TensorSpec& spec : task_case.outputs()) bytes += proto::byte_size(spec);
  return bytes;
}

void add_fault(proto::Verdict& verdict, const std::string& message, const char* fault_class = "numbers") {
  proto::add_fault(verdict, fault_class, message);
}

void note_skipped(proto::NumbersVerdict& numbers, int case_index, const std::string& why) {
  if (numbers.skipped().empty()) numbers.set_skipped("case " + std::to_string(case_index) + ": " + why);
}

void add_error(proto::Verdict& verdict, double error) {
  if (std::isnan(verdict.max_abs_error())) return;  // it means that a non-finite value did not match
  verdict.set_max_abs_error(std::isnan(error) ? error : std::max(verdict.max_abs_error(), error));
}

// Complex numbers as pairs, which is how their fp64 values are held.
proto::Tensor real_pairs(proto::Tensor tensor) {
  if (tensor.dtype() == proto::COMPLEX64) tensor.set_dtype(proto::FLOAT32);
  return tensor;
}

bool passes_strictly(const std::vector<proto::Tensor>& found, const std::vector<operators::GoldenTensor>& wanted,
                     proto::Verdict& verdict) {
  bool pass = true;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Comparison comparison = compare(real_pairs(found[i]), wanted[i], /*absolute_bound=*/0);
    add_error(verdict, comparison.max_abs_error);
    pass = pass && comparison.equal;
  }
  return pass;
}

bool same_counts(const std::vector<proto::Tensor>& found, const std::vector<operators::GoldenTensor>& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (static_cast<std::size_t>(proto::element_count(found[i].shape())) *
            (found[i].dtype() == proto::COMPLEX64 ? 2 : 1) !=
        wanted[i].values.size())
      return false;
  return true;
}

// True if it passes as published.
bool compare_case(const proto::TaskCase& task_case, int index, const BenchmarkCase& data,
                  const proto::CaseResult& result, proto::Verdict& verdict) {
  const std::vector<proto::Tensor> found = checked_tensors(task_case, result);
  if (result.result_form() != task_case.result_form() ||
      (!task_case.call().empty() && found.size() != data.golden.size())) {
    add_fault(verdict, "case " + std::to_string(index) + ": the module returns " + result.result_form().substr(0, 200) +
                           ", the reference " + task_case.result_form().substr(0, 200));
    return false;
  }
  const std::size_t compared = std::min(found.size(), data.golden.size());
  for (std::size_t i = 0; i < compared; ++i)
    if (found[i].data().size() !=
        static_cast<std::size_t>(proto::element_count(found[i].shape())) * proto::element_size(found[i].dtype())) {
      add_fault(verdict, "case " + std::to_string(index) + ": checked tensor " + std::to_string(i) + " is missing");
      return false;
    }
  const PublishedResult published = check_as_published(task_case.check(), data.golden, found);
  if (published.pass) {
    verdict.mutable_published()->set_cases_passed(verdict.published().cases_passed() + 1);
    verdict.set_cases_passed(verdict.cases_passed() + 1);
  } else {
    add_fault(verdict, "case " + std::to_string(index) + ": wrong by the benchmark's checker (" +
                           task_case.check().name() + "): " + published.why);
  }
  if (data.golden64.empty() || data.golden64.size() > found.size())
    note_skipped(*verdict.mutable_strict(), index, data.no_golden64.empty() ? "no fp64 outputs" : data.no_golden64);
  else if (same_counts(found, data.golden64) && passes_strictly(found, data.golden64, verdict))
    verdict.mutable_strict()->set_cases_passed(verdict.strict().cases_passed() + 1);
  return published.pass;
}

void mark_invalid(proto::Verdict& verdict, const std::string& reason) {
  verdict.set_reward_valid(false);
  verdict.set_invalid_reason(reason);
  verdict.set_reward(0);
}

// The smallest case that passed, for the second look.
struct Kept {
  std::uint64_t bytes = 0;
  int index = -1;
  proto::RunCase run_case;
  proto::CaseResult result;
  std::vector<proto::Tensor> golden;
};

proto::RunCase run_case_of(const proto::TaskCase& task_case, BenchmarkCase& data) {
  proto::RunCase run_case;
  for (proto::Tensor& tensor : data.inputs) *run_case.add_inputs() = std::move(tensor);
  data.inputs.clear();
  *run_case.mutable_outputs() = task_case.outputs();
  *run_case.mutable_attributes() = task_case.attributes();
  run_case.set_block_dim(task_case.block_dim());
  run_case.set_call(task_case.call());
  return run_case;
}

}  // namespace

proto::Verdict judge_benchmark(sandbox::Sandbox& sandbox, const proto::Task& task, proto::ExecutionRequest request,
                               const std::vector<int>& cases, const JudgeOptions& options) {
  if (!options.benchmark_cases)
    throw Error("the cases of an imported task are not at hand", task.id(),
                "judge it with kgtrain judge, or start the worker with --cases DATA");
  const double started = monotonic_seconds();
  proto::Verdict verdict;
  verdict.set_task(task.id());
  verdict.set_reward_preset(options.reward.preset);
  verdict.mutable_published();
  verdict.mutable_strict();
  bool ran = true, stopped = false, has_error_fault = false, rejected = false, first = true;
  std::uint32_t total = 0;
  std::string impossible;
  Kept kept;
  for (const int index : cases) {
    const proto::TaskCase& task_case = task.cases(index);
    const std::uint64_t bytes = bytes_of(task_case);
    if (task_case.checked().empty() || bytes > kLargestCase) {
      const std::string why = task_case.checked().empty()
                                  ? task_case.notes().empty() ? "left out" : task_case.notes(0)
                                  : std::to_string(bytes) + " bytes are more than a sandbox takes";
      note_skipped(*verdict.mutable_published(), index, why);
      note_skipped(*verdict.mutable_strict(), index, why);
      if (cases.size() == 1)
        throw Error("the case cannot be judged: " + why, task.id() + " case " + std::to_string(index),
                    "choose another --case");
      continue;
    }
    ++total;
    if (stopped) continue;  // counted, not run
    BenchmarkCase data = options.benchmark_cases(task, index);
    request.clear_cases();
    *request.add_cases() = run_case_of(task_case, data);
    if (options.limits.run_seconds() <= 0)
      request.mutable_limits()->set_run_seconds(
          std::min(kLongestRun, kRunSeconds + static_cast<double>(bytes) / kBytesPerSecond));
    proto::ExecutionResult result = sandbox.execute(request);
    proto::RunCase run_case;
    run_case.Swap(request.mutable_cases(0));
    request.clear_cases();
    if (!result.sandbox_error().empty()) {
      verdict.set_sandbox_error(result.sandbox_error());
      mark_invalid(verdict, "the sandbox failed: " + result.sandbox_error());
      verdict.set_wall_ms((monotonic_seconds() - started) * 1e3);
      return verdict;
    }
    if (first) {
      verdict.set_compiled(result.compiled());
      verdict.set_compiler_output(result.compiler_output());
      rejected = result.rejected();
      first = false;
    }
    if (!result.compiled() || result.cases().empty()) {
      ran = false;
      stopped = true;
      continue;
    }
    proto::CaseResult& case_result = *result.mutable_cases(0);
    for (const proto::Fault& fault : case_result.faults()) {
      *verdict.add_faults() = fault;
      has_error_fault |= fault.severity() == proto::ERROR;
      // The benchmark scores each case; but a kernel that hangs is not waited for once a case.
      stopped |= !case_result.ran() && fault.fault_class() == "limit";
    }
    if (!case_result.ran()) {
      ran = false;
      continue;
    }
    verdict.set_cycles(verdict.cycles() + case_result.cycles());
    verdict.set_baseline_cycles(verdict.baseline_cycles() + memory_baseline_cycles(task_case));
    const bool passed = compare_case(task_case, index, data, case_result, verdict);
    const std::uint64_t roofline = benchmark_roofline_cycles(task_case);
    if (case_result.cycles() < roofline && impossible.empty())
      impossible = "case " + std::to_string(index) + " took " + std::to_string(case_result.cycles()) +
                   " cycles, the bytes it writes alone take " + std::to_string(roofline);
    if (passed && bytes <= kMostLookedAt && (kept.index < 0 || bytes < kept.bytes)) {
      kept.bytes = bytes;
      kept.index = index;
      kept.run_case.Swap(&run_case);
      kept.result.Swap(&case_result);
      kept.golden = std::move(data.golden);
    }
  }
  verdict.set_cases_total(total);
  verdict.set_ran(ran && verdict.compiled());
  verdict.mutable_published()->set_correct(verdict.ran() && total > 0 && verdict.published().cases_passed() == total);
  verdict.mutable_strict()->set_correct(verdict.ran() && total > 0 && verdict.strict().cases_passed() == total);
  verdict.set_stage(rejected                         ? proto::REJECTED
                    : !verdict.compiled()            ? proto::COMPILE
                    : !verdict.ran()                 ? proto::RUN
                    : !verdict.published().correct() ? proto::COMPARE
                    : has_error_fault                ? proto::CHECK
                                                     : proto::CORRECT);
  if (verdict.stage() == proto::CORRECT && kept.index >= 0 && options.second_look) {
    const Doubt doubt = second_look_imported(
        sandbox, kept.run_case, kept.result, std::move(request), [&](const proto::CaseResult& found) {
          const proto::TaskCase& task_case = task.cases(kept.index);
          const std::vector<proto::Tensor> outputs = checked_tensors(task_case, found);
          return found.result_form() == task_case.result_form() && outputs.size() >= kept.golden.size() &&
                 check_as_published(task_case.check(), kept.golden, outputs).pass;
        });
    if (!doubt.sandbox_error.empty()) {
      verdict.set_sandbox_error(doubt.sandbox_error);
      mark_invalid(verdict, "the sandbox failed: " + doubt.sandbox_error);
      verdict.set_wall_ms((monotonic_seconds() - started) * 1e3);
      return verdict;
    }
    // What the benchmark's checker says stays in `published` and `strict`.
    if (!doubt.reason.empty()) {
      add_fault(verdict, "case " + std::to_string(kept.index) + " " + doubt.reason, "second look");
      verdict.set_cases_passed(0);
      verdict.set_stage(proto::COMPARE);
    }
  }
  verdict.set_correct(verdict.stage() == proto::CORRECT);
  if (verdict.correct() && verdict.cycles() > 0)
    verdict.set_speedup(static_cast<double>(verdict.baseline_cycles()) / static_cast<double>(verdict.cycles()));
  verdict.set_reward_valid(true);
  verdict.set_reward(reward_of(verdict, options.reward));
  if (verdict.correct() && !impossible.empty()) mark_invalid(verdict, "faster than the roofline: " + impossible);
  verdict.set_wall_ms((monotonic_seconds() - started) * 1e3);
  return verdict;
}

}  // namespace kg::reward
