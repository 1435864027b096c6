#pragma once

#include "npu/launch/device.h"
#include "proto/sandbox.pb.h"

namespace kg::npu {

// Runs the host function of a source with <<<>>> for one case, in an isolated process of its own: it has the addresses
// of the device's memory, which leads nowhere here, and answers which kernels it launches. What it does wrong (it
// launches nothing, or leaves out an output) is a fault in the plan. The values of the case's inputs are not used.
proto::LaunchPlan run_host_function(const Launch& launch, const proto::RunCase& run_case);

}  // namespace kg::npu
