#pragma once

#include "dataset/store/dataset.h"

namespace kg::dataset {

struct PackReport {
  Counts counts;
  std::uint64_t unreadable = 0;  // rows that damage has hit: they are not in the new file
};

// Writes one plain HDF5 file that holds all rows of the data set at `from`, folded or not. `to` must not exist.
PackReport pack(const fs::path& from, const fs::path& to);

}  // namespace kg::dataset
