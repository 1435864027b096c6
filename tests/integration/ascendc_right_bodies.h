#pragma once

#include "ascendc_bodies.h"

namespace kg::sandbox::ascendc::testing {

// Correct kernels over all families of calls, among them each case that looks like a fault and is none.
const std::vector<Body>& right_bodies();

}  // namespace kg::sandbox::ascendc::testing
