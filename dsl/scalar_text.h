#pragma once

#include <string>

#include "dsl/program.h"

namespace kg::dsl {

// A name of the program as a name in Ascend C: names with a meaning there get an underscore at the end.
std::string cpp_name(const std::string& name);

// A literal of type float, and one of any element type.
std::string float_text(double value);

}  // namespace kg::dsl
