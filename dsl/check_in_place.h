#pragma once

#include "dsl/program.h"

namespace kg::dsl {

// Tensors that are input and output at once: what a core loads, no other core and no earlier copy out of its own may be
// writing. Looks at a program whose regions are known. Throws Refusal.
void check_in_place(Program& program);

}  // namespace kg::dsl
