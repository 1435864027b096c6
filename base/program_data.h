#pragma once

#include "base/file.h"

namespace kg {

// A folder of files that a program needs at run time (headers, Python): share/kgtrain/`installed` beside the installed
// program, else `source` in the source tree that it was built from. `file` is one that the folder must hold. Throws
// Error (environment).
fs::path program_data(const std::string& installed, const std::string& source, const std::string& file);

}  // namespace kg
