#pragma once

#include <cstdint>

#include "proto/sandbox.pb.h"

namespace kg::sandbox {

// The limits of one request: what it asks for, zero fields taken from the default table (docs/design/sandbox.md shows
// it).
proto::ResourceLimits with_default_limits(proto::ResourceLimits limits);

// How long a job with `seconds` of processor time may take by the clock: that long where the host has processors to
// spare, longer where more processes want to run than it has, so that its limit is reached by its own work and not by
// others'.
double wall_seconds(double seconds);
inline constexpr double kMostStretch = 16;  // of the seconds

// Bytes that the kernel's process may map for a case: the limit, and room for the copies of its tensors that pass
// through the process (message, emulated global memory, result).
std::uint64_t run_address_space(const proto::ResourceLimits& limits, const proto::RunCase& run_case);

// Most bytes that the result of a case may have: its outputs, and a fixed allowance for faults and the timeline.
std::uint64_t result_bytes(const proto::RunCase& run_case);

// Most bytes that a host side, or a host function, may answer: tiling data, launches and their arguments.
inline constexpr std::uint64_t kPlanBytes = 4 << 20;

}  // namespace kg::sandbox
