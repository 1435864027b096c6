#pragma once

#include "dataset/store/dataset.h"

namespace kg::dataset {

struct PackReport {
  Counts counts;
  std::uint64_t unreadable = 0;  // damaged rows that are missing from the new file
};

// Writes one plain HDF5 file with all rows of the data set at `from`, folded or not. `to` must not exist.
PackReport pack(const fs::path& from, const fs::path& to);

}  // namespace kg::dataset
