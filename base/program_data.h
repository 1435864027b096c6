#pragma once

#include <vector>

#include "base/file.h"

namespace kg {

// Where a folder of the program's own files may be: share/kgtrain/`installed` beside the installed program, or
// `source` in the source tree that it was built from.
std::vector<fs::path> program_data_folders(const std::string& installed, const std::string& source);

// The first of these folders that holds `file`; for files that a program needs at run time (headers, Python). Throws
// Error (environment).
fs::path program_data(const std::string& installed, const std::string& source, const std::string& file);

// Where the name of a model is looked up, in this order: models and runs of $KGTRAIN_HOME, then the models that come
// with kgtrain. A folder need not exist.
std::vector<fs::path> model_folders();

}  // namespace kg
