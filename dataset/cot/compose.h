#pragma once

#include <cstdint>

#include "dataset/cot/composition.h"

namespace kg::dataset::cot {

// Composition `index` of an endless list: nodes, inputs and outputs, nothing else. First each word alone. It need not
// be sound, nor new; without nodes where nothing fits.
Structure compose(std::uint64_t index);

}  // namespace kg::dataset::cot
