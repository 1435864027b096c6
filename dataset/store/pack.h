#pragma once

#include "dataset/store/dataset.h"

namespace kg::dataset {

// Writes one plain HDF5 file that holds all rows of the data set at `from`, folded or not. `to` must not exist.
Counts pack(const fs::path& from, const fs::path& to);

}  // namespace kg::dataset
