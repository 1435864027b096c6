#pragma once

#include "base/file.h"

namespace kg {

// Refuses, before the work is done, an output file that could not be written after it: a folder in its place, or no
// folder to write it into. `option` is how it was named ("--report"); an empty path and "-" pass.
void require_writable(const fs::path& file, const std::string& option);

}  // namespace kg
