#pragma once

#include <string>

namespace kg::sandbox {

// The compiler's messages as the kernel's author should see them: the user's file is "kernel.cpp", the headers of the
// emulated NPU carry no folder.
std::string readable_diagnostics(std::string text, const std::string& work_folder, const std::string& header_folder);

}  // namespace kg::sandbox
