#pragma once

#include <string>

#include "sandbox/checks/call_forms.h"

namespace kg::sandbox {

// For each function of AscendC whose declaration in our headers has the line of the call as a hidden parameter
// (KG_WHERE), a function with only the published parameters: C++ text that follows kernel_operator.h. A call by name
// means the one with the line; function pointers and template arguments mean these, for which a fault's line is
// unknown.
std::string published_forms(const CallForms& forms);

}  // namespace kg::sandbox
