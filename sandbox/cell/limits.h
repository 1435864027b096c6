#pragma once

#include <cstdint>

#include "proto/sandbox.pb.h"

namespace kg::sandbox {

// The limits of one request; fields that it leaves at zero come from the default table (see
// docs/design/sandbox.md).
proto::ResourceLimits with_default_limits(proto::ResourceLimits limits);

// The wall-clock time that a job with `seconds` of processor time may take: that long if the host has processors to
// spare, longer if more processes want to run than it has, so that the job reaches its limit by its own work and not by
// that of others.
double wall_seconds(double seconds);
inline constexpr double kMostStretch = 16;  // times the seconds

// Bytes that the kernel's process may map for a case: the limit, plus room for the copies of its tensors that pass
// through the process (message, emulated global memory, result) and for its workspace of `workspace_bytes`.
std::uint64_t run_address_space(const proto::ResourceLimits& limits, const proto::RunCase& run_case,
                                std::uint64_t workspace_bytes);

// Largest result of a case in bytes: its outputs, and a fixed allowance for faults and the timeline.
std::uint64_t result_bytes(const proto::RunCase& run_case);

// Largest answer of a host side, or a host function, in bytes: tiling data, launches and their arguments.
inline constexpr std::uint64_t kPlanBytes = 4 << 20;

}  // namespace kg::sandbox
