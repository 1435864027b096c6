#pragma once

#include "dsl/visible.h"

namespace kg::dsl {

// Gives an expression and all parts of it their types. Throws Refusal for what the language does not allow.
//   check_call    calls of functions          check_region  what loads and slices name
//   check_linear  whole numbers as sums, for lengths and bounds
const Type& check_expression(Visible& seen, Expr& expr);

}  // namespace kg::dsl
