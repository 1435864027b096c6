#pragma once

#include "sandbox/dsl/code.h"

namespace kg::dataset::cot {

// The compact form with flags in place of barriers: a pipe waits for another only where it must (SetFlag and WaitFlag
// of the pair of pipes).
sandbox::dsl::Code flagged_code(const sandbox::dsl::Form& form);

}  // namespace kg::dataset::cot
