#pragma once

#include <cstdint>

#include "dataset/cot/composition.h"

namespace kg::dataset::cot {

// Composition `index` of an endless list: only nodes, inputs and outputs. Each single word comes first. It need not
// be sound or new; it has no nodes if nothing fits.
Structure compose(std::uint64_t index);

}  // namespace kg::dataset::cot
