#pragma once

#include <string>

#include "sandbox/dsl/program.h"

namespace kg::sandbox::dsl {

// A name of the program as a name in Ascend C: those that mean something there get a line behind.
std::string cpp_name(const std::string& name);

// A literal of float, and one of any element type.
std::string float_text(double value);

}  // namespace kg::sandbox::dsl
