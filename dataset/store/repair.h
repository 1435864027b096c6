#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"

namespace kg::dataset {

// The result of a repair.
struct RepairReport {
  std::vector<std::string> done;  // one sentence for each step
  std::vector<std::string> lost;  // lost rows, by key: "rollout run-a/17/3 (lacks reward)"
  std::uint64_t saved = 0;        // rewritten rows of damaged segments, and records found in damaged journals
  fs::path kept;                  // folder with the replaced files; empty: there are none
};

// Repairs the data set at `path`: corrects single flipped bits, rewrites damaged segments from the
// rows that can be read completely, rebuilds indexes and the file with the links, and recovers records from damaged
// journals. Deletes nothing: replaced files, and readable parts of incomplete rows, go to a folder
// `damaged`. Throws Error if another process writes to the data set.
RepairReport repair(const fs::path& path);

}  // namespace kg::dataset
