#pragma once

#include "npu/launch/device.h"
#include "proto/sandbox.pb.h"

namespace kg::npu {

// Runs the host function of a source with <<<>>> for one case, in its own isolated process: it has the addresses
// of the device's memory, which are not accessible here, and returns the kernels it launches. Its errors (it
// launches nothing, or leaves out an output) are faults in the plan. The values of the case's inputs are not used.
proto::LaunchPlan run_host_function(const Launch& launch, const proto::RunCase& run_case);

}  // namespace kg::npu
