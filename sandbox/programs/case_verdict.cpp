#include "sandbox/programs/case_verdict.h"

#include <signal.h>
#include <spdlog/fmt/fmt.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/utf8.h"
#include "proto/dtype.h"
#include "proto/fault.h"
#include "sandbox/cell/system_call_filter.h"

namespace kg::sandbox {
namespace {

// The result comes from a process in which a kernel ran: it is believed only as far as its form goes.
template <typename Result>
bool has_unknown_fault(const Result& result) {
  return !std::all_of(result.faults().begin(), result.faults().end(),
                      [](const proto::Fault& fault) { return proto::is_fault_class(fault.fault_class()); });
}

std::string malformed(const proto::CaseResult& result, const proto::RunCase& run_case) {
  if (has_unknown_fault(result)) return "a fault of an unknown class";
  if (!result.ran()) return result.outputs_size() == 0 ? "" : "outputs of a kernel that did not end";
  if (result.outputs_size() != run_case.outputs_size())
    return std::to_string(result.outputs_size()) + " outputs, wanted " + std::to_string(run_case.outputs_size());
  for (int i = 0; i < result.outputs_size(); ++i) {
    const auto& got = result.outputs(i);
    const auto& wanted = run_case.outputs(i);
    if (got.dtype() != wanted.dtype() ||
        !std::equal(got.shape().begin(), got.shape().end(), wanted.shape().begin(), wanted.shape().end()) ||
        got.data().size() != proto::byte_size(wanted))
      return "output " + std::to_string(i) + " has the wrong type or shape";
  }
  return "";
}

std::string signal_name(int number) {
  const char* name = ::sigdescr_np(number);
  return name != nullptr ? name : "signal " + std::to_string(number);
}

// Why a process of `who` (the kernel, the host side) gave no result. Both texts empty: it gave one.
struct Ending {
  std::string sandbox_error;
  proto::FaultClass fault_class = proto::FaultClass::kTrap;
  std::string fault;
};

Ending ending_of(const JobOutcome& outcome, const proto::ResourceLimits& limits, const std::string& who) {
  const JobEnd& end = outcome.end;
  const int status = end.wait_status;
  const double cpu_seconds = static_cast<double>(end.cpu_microseconds) / 1e6;
  const auto broken = [](const std::string& what) { return Ending{.sandbox_error = what, .fault = ""}; };
  const auto fault = [](proto::FaultClass fault_class, const std::string& what) {
    return Ending{.sandbox_error = "", .fault_class = fault_class, .fault = what};
  };

  if (outcome.owner_gone) return broken("the caller is gone");
  if (!outcome.cell_lost.empty()) return broken("the cell of " + who + " was lost: " + outcome.cell_lost);
  if (end.start_error != 0)
    return broken(std::string("cannot start a case: ") + std::strerror(end.start_error) + ": " + outcome.output);
  if (outcome.host_was_busy) return broken(outcome.starved(who));
  // The kernel's count for SIGXCPU may be ahead of the one that cpu_seconds comes from.
  const bool out_of_cpu = WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || cpu_seconds >= limits.run_seconds());
  if (outcome.timed_out || out_of_cpu)
    return fault(proto::FaultClass::kLimit,
                 who + " was stopped at the time limit of " + fmt::format("{:g}", limits.run_seconds()) + " s");
  if (outcome.result_too_large)
    return fault(proto::FaultClass::kLimit, "the result of " + who + " is larger than it can be");
  if (end.system_call >= 0)
    return fault(proto::FaultClass::kTrap,
                 "forbidden system call: " + system_call_name(end.system_call) + ", in " + who);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kExitOutOfMemory)
    return fault(proto::FaultClass::kLimit,
                 who + " ran out of its memory of " + std::to_string(limits.run_memory_bytes()) + " bytes");
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    return broken("the process of " + who + " was killed by the host");
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)  // with signals blocked, as when a thread is made
    return fault(proto::FaultClass::kTrap, "forbidden system call in " + who);
  if (WIFSIGNALED(status))
    return fault(proto::FaultClass::kTrap, "the process of " + who + " died: " + signal_name(WTERMSIG(status)));
  if (outcome.result.empty())
    return fault(proto::FaultClass::kTrap, "the process of " + who + " ended with status " +
                                               std::to_string(WEXITSTATUS(status)) + " and no result");
  return {};
}

constexpr std::uint32_t kMostBlocks = 65535;

std::string wrong_blocks(std::uint32_t block_dim) {
  if (block_dim >= 1 && block_dim <= kMostBlocks) return "";
  return "a block dimension of " + std::to_string(block_dim) + ", at most " + std::to_string(kMostBlocks) +
         " can be launched";
}

// A plan comes from a process in which the project's code ran.
std::string malformed(const proto::HostPlan& plan, const proto::RunCase& run_case) {
  for (const auto* slots : {&plan.inputs(), &plan.outputs()})
    for (const auto& slot : *slots)
      for (const int tensor : slot.tensors())
        if (tensor < 0 || tensor >= (slots == &plan.inputs() ? run_case.inputs_size() : run_case.outputs_size()))
          return "the index of a tensor that does not exist";
  return plan.can_launch() ? wrong_blocks(plan.result().block_dim()) : "";
}

}  // namespace

HostVerdict judge_host(const JobOutcome& outcome, const proto::RunCase& run_case, const proto::ResourceLimits& limits) {
  HostVerdict verdict;
  const auto fail = [&](proto::FaultClass fault_class, const std::string& message) {
    verdict.plan.set_can_launch(false);
    add_fault(verdict.plan, fault_class, message);
  };
  const Ending ending = ending_of(outcome, limits, "the host side");
  verdict.sandbox_error = ending.sandbox_error;
  if (!ending.fault.empty()) {
    fail(ending.fault_class, ending.fault);
  } else if (ending.sandbox_error.empty()) {
    if (!verdict.plan.ParseFromString(outcome.result) || has_unknown_fault(verdict.plan)) {
      verdict.plan.Clear();
      fail(proto::FaultClass::kTrap, "the host side gave a malformed result");
    } else if (const std::string what = malformed(verdict.plan, run_case); !what.empty()) {
      verdict.plan.Clear();
      fail(proto::FaultClass::kHost, "the host side asks for " + what);
    }
  }
  verdict.plan.mutable_result()->set_log(readable_utf8(outcome.output));
  return verdict;
}

LaunchVerdict judge_launches(const JobOutcome& outcome, const proto::ResourceLimits& limits) {
  LaunchVerdict verdict;
  const Ending ending = ending_of(outcome, limits, "the host function");
  verdict.sandbox_error = ending.sandbox_error;
  const auto fail = [&](proto::FaultClass fault_class, const std::string& message) {
    verdict.plan.Clear();
    add_fault(verdict.plan, fault_class, message);
  };
  if (!ending.fault.empty()) {
    fail(ending.fault_class, ending.fault);
  } else if (ending.sandbox_error.empty()) {
    if (!verdict.plan.ParseFromString(outcome.result) || has_unknown_fault(verdict.plan))
      fail(proto::FaultClass::kTrap, "the host function gave a malformed result");
    std::string wrong;
    for (const proto::KernelLaunch& launch : verdict.plan.launches())
      if (wrong.empty()) wrong = wrong_blocks(launch.block_dim());
    if (!wrong.empty()) fail(proto::FaultClass::kArgument, "the host function asks for " + wrong);
    if (verdict.plan.faults().empty() && verdict.plan.launches().empty())
      fail(proto::FaultClass::kTrap, "the host function gave a malformed result");
  }
  return verdict;
}

CaseVerdict judge_case(const JobOutcome& outcome, const proto::RunCase& run_case, const proto::ResourceLimits& limits) {
  CaseVerdict verdict;
  proto::CaseResult& result = verdict.result;
  const Ending ending = ending_of(outcome, limits, "the kernel");
  verdict.sandbox_error = ending.sandbox_error;
  proto::CaseResult received;
  if (!ending.fault.empty())
    add_fault(result, ending.fault_class, ending.fault);
  else if (!ending.sandbox_error.empty())
    ;
  else if (!received.ParseFromString(outcome.result))
    add_fault(result, proto::FaultClass::kTrap, "the kernel's process gave no result that can be read");
  else if (const std::string what = malformed(received, run_case); !what.empty())
    add_fault(result, proto::FaultClass::kTrap, "the kernel's process gave a malformed result: " + what);
  else
    result = std::move(received);
  result.set_output(readable_utf8(outcome.output));
  result.set_output_truncated(outcome.output_truncated);
  result.set_wall_ms(outcome.wall_ms);
  return verdict;
}

}  // namespace kg::sandbox
