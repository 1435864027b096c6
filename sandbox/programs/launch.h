#pragma once

#include "sandbox/programs/workshop.h"

namespace kg::sandbox {

// A source with <<<>>>, which launches its kernel itself from a host function. The host function runs first, with the
// addresses of the device's memory and none of its contents; then what it launched.
//
//   source ─► kernel.so, kernel.so.host ─► kernel's cell: the host function, one process a case ─► LaunchPlan
//          ─► kernel's cell: the launches, one process a case ─► judge_case ─► result
void run_launch(Workshop& shop, Request& request);

}  // namespace kg::sandbox
