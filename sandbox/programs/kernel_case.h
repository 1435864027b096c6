#pragma once

#include "sandbox/programs/case_verdict.h"
#include "sandbox/programs/workshop.h"

namespace kg::sandbox {

// The job that runs a case of a shared object in the folder of kernels.
Job case_job(const Workshop& shop, const Request& request, Job::Kind kind, const proto::RunCase& run_case,
             const std::string& object);

// Its bounds; `result_bytes`: the most that it may answer.
JobBounds case_bounds(const Request& request, std::uint64_t result_bytes);

// Runs one case of a compiled kernel in a process of its own, and adds what happened to the result. False: nothing more
// is to be run.
bool run_kernel_case(Workshop& shop, Request& request, const proto::RunCase& run_case, const std::string& object);

}  // namespace kg::sandbox
