#pragma once

#include "dsl/form.h"

namespace kg::dataset::cot {

// The initialisation pass, of the compact form, with UB as slots of S floats: a named value has a slot of its own,
// values in between share those that are free. Throws dsl::Refusal where UB has too few slots.
void take_slots(dsl::Form& form);

}  // namespace kg::dataset::cot
