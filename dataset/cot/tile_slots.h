#pragma once

#include "dsl/form.h"

namespace kg::dataset::cot {

// The initialisation pass of the compact form, with UB as slots of S floats: a named value has its own slot,
// intermediate values share free ones. Throws dsl::Refusal if UB has too few slots.
void take_slots(dsl::Form& form);

}  // namespace kg::dataset::cot
