#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"

namespace kg::dataset {

// What a repair did.
struct RepairReport {
  std::vector<std::string> done;  // one sentence for each step
  std::vector<std::string> lost;  // what is lost, by key: "rollout run-a/17/3 (lacks reward)"
  std::uint64_t saved = 0;  // rows of damaged segments that were written anew, and records found in damaged journals
  fs::path kept;            // where the files that were replaced lie; empty: none was
};

// Makes the data set at `path` sound again: puts right single bits that flipped, writes damaged segments anew from the
// rows that can be read whole, makes indexes and the file with the links anew, takes what is left out of damaged
// journals. Deletes nothing: what it replaces, and what can be read of rows that are not whole, it keeps in a folder
// `damaged`. Throws Error if another process writes to the data set.
RepairReport repair(const fs::path& path);

}  // namespace kg::dataset
