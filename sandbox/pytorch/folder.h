#pragma once

#include "base/file.h"

namespace kg::sandbox {

// The folder with module_runner.py and, in include, pytorch_npu_helper.hpp: installed, or in the source tree.
fs::path pytorch_folder();

}  // namespace kg::sandbox
