#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "proto/verdict.pb.h"
#include "sandbox/sandbox.h"

namespace kg::dataset {

// A kernel of a task to be judged. `task` is called in the thread that judges.
struct JudgingJob {
  std::function<proto::Task()> task;
  std::string kernel;
};

// Judges all jobs with so many sandboxes at once (0: one for each core); calls `done` in the order of the jobs, in the
// calling thread. A sandbox that fails twice on a job ends the whole with an Error.
void judge_all(const std::vector<JudgingJob>& jobs, int sandboxes, const sandbox::SandboxOptions& options,
               const std::function<void(std::size_t index, const proto::Verdict& verdict)>& done);

}  // namespace kg::dataset
