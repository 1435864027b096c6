#pragma once

#include "sandbox/programs/case_verdict.h"
#include "sandbox/programs/workshop.h"

namespace kg::sandbox {

// The job that runs a case of a shared object in the kernel folder.
Job case_job(const Workshop& shop, const Request& request, Job::Kind kind, const proto::RunCase& run_case,
             const std::string& object);

// Its limits; `result_bytes`: the largest result.
JobBounds case_bounds(const Request& request, std::uint64_t result_bytes);

// Runs one case of a compiled kernel in its own process, and adds the outcome to the result. False: run nothing
// more.
bool run_kernel_case(Workshop& shop, Request& request, const proto::RunCase& run_case, const std::string& object);

}  // namespace kg::sandbox
