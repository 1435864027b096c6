#pragma once

#include "dsl/code.h"

namespace kg::dataset::cot {

// The compact form with flags instead of barriers: a pipe waits for another only where it must (SetFlag and WaitFlag
// for the pair of pipes).
dsl::Code flagged_code(const dsl::Form& form);

}  // namespace kg::dataset::cot
