#pragma once

#include "base/file.h"

namespace kg::sandbox {

// The tools the sandbox compiles with, on this machine and in this installation.
fs::path find_compiler();  // $KGTRAIN_CLANG or clang++ in PATH; empty: none
// The compiler's name and version, without any path: "Debian clang version 14.0.6"; "none" without one.
std::string compiler_version(const fs::path& compiler);
fs::path find_linker();         // $KGTRAIN_LINKER or one in PATH; empty: none
fs::path find_warm_compiler();  // kgtrain-compiler beside this program; KGTRAIN_WARM_COMPILER=off: none
// The compiler's pass, beside this program or installed; empty: none for this compiler.
fs::path find_kernel_passes(const fs::path& compiler);
// The folder that holds kernel_operator.h: $KGTRAIN_ASCENDC_INCLUDE, beside the installed program, or in the sources
// that it was built from. Throws Error if there is none.
fs::path header_folder();

}  // namespace kg::sandbox
