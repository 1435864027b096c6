#pragma once

#include <string>

#include "proto/sandbox.pb.h"
#include "sandbox/cell/cell.h"

namespace kg::sandbox {

// What the end of a case's process means. `sandbox_error` not empty: it was the sandbox's or the host's doing, and
// there is no result.
struct CaseVerdict {
  proto::CaseResult result;
  std::string sandbox_error;
};

// The same of a host side: a plan whose form can be relied on, with a fault in it if it failed.
struct HostVerdict {
  proto::HostPlan plan;
  std::string sandbox_error;
};

// The same of a host function; faults: nothing is to be launched.
struct LaunchVerdict {
  proto::LaunchPlan plan;
  std::string sandbox_error;
};

LaunchVerdict judge_launches(const JobOutcome& outcome, const proto::ResourceLimits& limits);

HostVerdict judge_host(const JobOutcome& outcome, const proto::RunCase& run_case, const proto::ResourceLimits& limits);

CaseVerdict judge_case(const JobOutcome& outcome, const proto::RunCase& run_case, const proto::ResourceLimits& limits);

}  // namespace kg::sandbox
