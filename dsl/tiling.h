#pragma once

#include "dsl/form.h"

namespace kg::dsl {

// The tiling pass: divides the work over the cores, chooses the tile size if the program leaves it open (the size that
// is fastest in the cycle model among those that fit into UB), and writes the body as steps on tiles, with copies in as
// early as possible. Throws Refusal.
Form tile_program(const Program& program, const Bindings& bindings, bool compact);

}  // namespace kg::dsl
