#pragma once

#include "sandbox/dsl/form.h"

namespace kg::dataset::cot {

// The initialisation pass, of the compact form, with UB as slots of S floats: a named value has a slot of its own,
// values in between share those that are free. Throws sandbox::dsl::Refusal where UB has too few slots.
void take_slots(sandbox::dsl::Form& form);

}  // namespace kg::dataset::cot
