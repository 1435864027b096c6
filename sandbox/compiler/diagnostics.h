#pragma once

#include <string>

#include "sandbox/checks/call_forms.h"

namespace kg::sandbox {

// The compiler's messages in the form for the kernel's author: the user's file is "kernel.cpp", the emulated NPU's
// headers have no folder. A message about the inside of a header is moved to the user's call; if no form of a
// call matches, the existing forms follow. Words of the dialect (__host__, __device__) become those of Ascend C.
std::string readable_diagnostics(std::string text, const std::string& work_folder, const std::string& header_folder,
                                 const CallForms& forms = {});

// True if a message names no place in a source: perhaps a complaint of the compiler about its own files, or a kernel
// that imitates one.
bool blames_the_compiler(const std::string& diagnostics);

}  // namespace kg::sandbox
