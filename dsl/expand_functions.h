#pragma once

#include "dsl/program.h"

namespace kg::dsl {

// Replaces the calls of functions that have an expression (functions.h) by it. An argument that the expression repeats
// gets a statement of its own before, so that it is computed once.
void expand_functions(Program& program);

}  // namespace kg::dsl
