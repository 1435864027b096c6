#pragma once

#include "dsl/form.h"

namespace kg::dsl {

// Cycles that a core takes by the emulated NPU's cycle model (docs/design/emulated-npu.md, "Time"), roughly: the
// busiest pipe for the whole of the work, the others for one turn, and the waits of the scalar unit. Only compares tile
// sizes.
double estimated_cycles(const Form& form);

// The sizes of tiles of a product that the program leaves open, by the same model; unchanged if none fits.
void choose_gemm_sizes(const Checked& checked, TileSizes& sizes);

}  // namespace kg::dsl
