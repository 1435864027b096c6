#pragma once

#include <string>

#include "sandbox/checks/call_forms.h"

namespace kg::sandbox {

// The compiler's messages as the kernel's author should see them: the user's file is "kernel.cpp", the headers of the
// emulated NPU carry no folder. A message about the inside of a header stands at the user's call; where no form of a
// call fits, the forms that exist follow. The words of the dialect (__host__, __device__) become those of Ascend C.
std::string readable_diagnostics(std::string text, const std::string& work_folder, const std::string& header_folder,
                                 const CallForms& forms = {});

// True if a message names no place in a source: a complaint of the compiler about its own files perhaps, or a kernel
// that imitates one.
bool blames_the_compiler(const std::string& diagnostics);

}  // namespace kg::sandbox
