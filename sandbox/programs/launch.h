#pragma once

#include "sandbox/programs/workshop.h"

namespace kg::sandbox {

// A source with <<<>>>, whose host function launches the kernel itself. The host function runs first, with the
// addresses of the device's memory but none of its content; then the launches it made.
//
//   source ─► kernel.so, kernel.so.host ─► kernel's cell: the host function, one process a case ─► LaunchPlan
//          ─► kernel's cell: the launches, one process a case ─► judge_case ─► result
void run_launch(Workshop& shop, Request& request);

}  // namespace kg::sandbox
