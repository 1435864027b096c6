#pragma once

#include "dataset/cot/composition.h"

namespace kg::dataset::cot {

// Draws bounds for the inputs for which the composition makes sense; false if there are none. Decided by
// evaluation in fp64, with and without rounding as in float, on one small case.
bool make_sound(Structure& structure);

}  // namespace kg::dataset::cot
