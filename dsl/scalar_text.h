#pragma once

#include <string>

#include "dsl/program.h"

namespace kg::dsl {

// A name of the program as a name in Ascend C: those that mean something there get a line behind.
std::string cpp_name(const std::string& name);

// A literal of float, and one of any element type.
std::string float_text(double value);

}  // namespace kg::dsl
