#pragma once

#include <string>

#include "proto/sandbox.pb.h"
#include "sandbox/cell/cell.h"

namespace kg::sandbox {

// The meaning of the end of a case's process. `sandbox_error` not empty: the sandbox or the host is to blame, and
// there is no result.
struct CaseVerdict {
  proto::CaseResult result;
  std::string sandbox_error;
};

// The same for a host side: a well-formed plan, with a fault in it if it failed.
struct HostVerdict {
  proto::HostPlan plan;
  std::string sandbox_error;
};

// The same for a host function; faults: there is nothing to launch.
struct LaunchVerdict {
  proto::LaunchPlan plan;
  std::string sandbox_error;
};

LaunchVerdict judge_launches(const JobOutcome& outcome, const proto::ResourceLimits& limits);

HostVerdict judge_host(const JobOutcome& outcome, const proto::RunCase& run_case, const proto::ResourceLimits& limits);

CaseVerdict judge_case(const JobOutcome& outcome, const proto::RunCase& run_case, const proto::ResourceLimits& limits);

}  // namespace kg::sandbox
