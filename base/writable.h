#pragma once

#include "base/file.h"

namespace kg {

// Refuses an output file before the work starts if it could not be written afterwards: it names a folder, or its folder
// does not exist. `option` is the option that named it ("--report"); an empty path and "-" are accepted.
void require_writable(const fs::path& file, const std::string& option);

}  // namespace kg
