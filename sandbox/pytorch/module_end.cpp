#include "sandbox/pytorch/module_end.h"

#include <sys/wait.h>

#include <cstring>

#include "base/error.h"

namespace kg::sandbox {

void require_host_did_its_part(const JobOutcome& outcome) {
  const auto fault = [](const std::string& what) {
    return Error(what, "pytorch module", "run kgtrain doctor", Error::Kind::kEnvironment);
  };
  if (outcome.owner_gone) throw fault("the caller is gone");
  if (!outcome.cell_lost.empty()) throw fault("the cell of modules was lost: " + outcome.cell_lost);
  if (outcome.end.start_error != 0)
    throw fault(std::string("cannot start Python in the cell: ") + std::strerror(outcome.end.start_error));
  if (outcome.host_was_busy) throw fault(outcome.starved("the module"));
}

std::string end_of(const JobOutcome& outcome) {
  const std::string said = outcome.output.empty() ? "" : "; it printed: " + outcome.output.substr(0, 2000);
  if (outcome.timed_out) return "it was stopped at its time limit" + said;
  if (outcome.result_too_large) return "it sent more than its tensors can be" + said;
  if (WIFSIGNALED(outcome.end.wait_status))
    return "it was killed by signal " + std::to_string(WTERMSIG(outcome.end.wait_status)) +
           " (out of memory, or a crash in its binding)" + said;
  return "its process ended early" + said;
}

}  // namespace kg::sandbox
