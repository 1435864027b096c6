#pragma once

#include "dsl/program.h"

namespace kg::dsl {

// Replaces calls of functions that are defined by an expression (functions.h). An argument that the expression repeats
// is first assigned in a statement of its own, so that it is computed once.
void expand_functions(Program& program);

}  // namespace kg::dsl
