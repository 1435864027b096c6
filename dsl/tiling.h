#pragma once

#include "dsl/form.h"

namespace kg::dsl {

// The tiling pass: cuts the work over the cores, chooses the tile size where the program leaves it open (the size that
// the cycle model finds fastest among those that UB holds), and writes the body as steps on tiles, copies in as early
// as they can be. Throws Refusal.
Form tile_program(const Program& program, const Bindings& bindings, bool compact);

}  // namespace kg::dsl
