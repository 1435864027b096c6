#pragma once

#include <string>

#include "sandbox/checks/language.h"

namespace kg::sandbox {

// What clang lets pass and the device does not have is visible in the object file: variables that outlive a call,
// functions that nobody defines, tables of virtual functions, start-up code, and recursion (compile_flags() keep calls
// from being turned into loops). Messages with the user's lines, as far as the source tells them; empty: nothing is
// wrong.
std::string object_errors(const std::string& object, const Sources& sources);

}  // namespace kg::sandbox
