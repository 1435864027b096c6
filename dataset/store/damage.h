#pragma once

#include <string>
#include <vector>

#include "base/file.h"

namespace kg::dataset {

// One sentence for each damage that the files of the data set at `path` show, or that an earlier opening found
// and recorded; empty if there is none. Opens the live files and changes nothing.
std::vector<std::string> damage_of(const fs::path& path);

}  // namespace kg::dataset
