#include "sandbox/case_verdict.h"

#include <signal.h>
#include <spdlog/fmt/fmt.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "proto/dtype.h"
#include "sandbox/system_call_filter.h"

namespace kg::sandbox {
namespace {

void add_fault(proto::CaseResult& result, const char* fault_class, const std::string& message) {
  auto* fault = result.add_faults();
  fault->set_fault_class(fault_class);
  fault->set_severity(proto::ERROR);
  fault->set_message(message);
  fault->set_core(-1);
}

// The result comes from a process in which a kernel ran: it is believed only as far as its form goes.
std::string malformed(const proto::CaseResult& result, const proto::RunCase& run_case) {
  if (!result.ran()) return result.outputs_size() == 0 ? "" : "outputs of a kernel that did not end";
  if (result.outputs_size() != run_case.outputs_size())
    return std::to_string(result.outputs_size()) + " outputs, wanted " + std::to_string(run_case.outputs_size());
  for (int i = 0; i < result.outputs_size(); ++i) {
    const auto& got = result.outputs(i);
    const auto& wanted = run_case.outputs(i);
    if (got.dtype() != wanted.dtype() ||
        !std::equal(got.shape().begin(), got.shape().end(), wanted.shape().begin(), wanted.shape().end()) ||
        got.data().size() != proto::byte_size(wanted))
      return "output " + std::to_string(i) + " has not the type and shape asked for";
  }
  return "";
}

std::string signal_name(int number) {
  const char* name = ::sigdescr_np(number);
  return name != nullptr ? name : "signal " + std::to_string(number);
}

}  // namespace

CaseVerdict judge_case(const JobOutcome& outcome, const proto::RunCase& run_case, const proto::ResourceLimits& limits) {
  CaseVerdict verdict;
  proto::CaseResult& result = verdict.result;
  const JobEnd& end = outcome.end;
  const int status = end.wait_status;
  const bool exited = WIFEXITED(status);
  const double cpu_seconds = static_cast<double>(end.cpu_microseconds) / 1e6;

  if (outcome.owner_gone)
    verdict.sandbox_error = "the caller has gone";
  else if (!outcome.cell_lost.empty())
    verdict.sandbox_error = "the kernel's cell was lost: " + outcome.cell_lost;
  else if (end.start_error != 0)
    verdict.sandbox_error =
        std::string("cannot start a case: ") + std::strerror(end.start_error) + ": " + outcome.output;
  else if (outcome.timed_out || (WIFSIGNALED(status) && cpu_seconds >= limits.run_seconds()))
    add_fault(result, "limit",
              "the kernel was stopped at the time limit of " + fmt::format("{:g}", limits.run_seconds()) + " s");
  else if (outcome.result_too_large)
    add_fault(result, "limit", "the result is larger than its outputs can be");
  else if (end.system_call >= 0)
    add_fault(result, "trap", "forbidden system call: " + system_call_name(end.system_call));
  else if (exited && WEXITSTATUS(status) == kExitOutOfMemory)
    add_fault(result, "limit",
              "the kernel ran out of its memory of " + std::to_string(limits.run_memory_bytes()) + " bytes");
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    verdict.sandbox_error = "the kernel's process was killed by the host";
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)  // with signals blocked, as when a thread is made
    add_fault(result, "trap", "forbidden system call");
  else if (WIFSIGNALED(status))
    add_fault(result, "trap", "the kernel's process died: " + signal_name(WTERMSIG(status)));
  else if (proto::CaseResult received; outcome.result.empty() || !received.ParseFromString(outcome.result))
    add_fault(result, "trap",
              "the kernel's process ended with status " + std::to_string(WEXITSTATUS(status)) + " and no result");
  else if (const std::string what = malformed(received, run_case); !what.empty())
    add_fault(result, "trap", "the kernel's process gave a malformed result: " + what);
  else
    result = std::move(received);
  result.set_output(outcome.output);
  result.set_output_truncated(outcome.output_truncated);
  result.set_wall_ms(outcome.wall_ms);
  return verdict;
}

}  // namespace kg::sandbox
