#pragma once

#include <string>
#include <vector>

#include "base/file.h"

namespace kg::dataset {

// One sentence for each piece of damage that the files of the data set at `path` show, or that an earlier opening found
// and kept; empty for a sound one. Opens what counts, changes nothing.
std::vector<std::string> damage_of(const fs::path& path);

}  // namespace kg::dataset
