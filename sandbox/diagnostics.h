#pragma once

#include <string>

namespace kg::sandbox {

// The compiler's messages as the kernel's author should see them: the user's file is "kernel.cpp", the headers of the
// emulated NPU carry no folder.
std::string readable_diagnostics(std::string text, const std::string& work_folder, const std::string& header_folder);

// True if a message names no place in a source: a complaint of the compiler about its own files perhaps, or a kernel
// that imitates one.
bool blames_the_compiler(const std::string& diagnostics);

}  // namespace kg::sandbox
