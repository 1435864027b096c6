#pragma once

#include "dsl/visible.h"

namespace kg::dsl {

// Gives an expression and all its parts their types. Throws Refusal for anything the language does not allow.
//   check_call    function calls              check_region  parts named by loads and slices
//   check_linear  whole numbers as sums, for lengths and bounds
const Type& check_expression(Visible& seen, Expr& expr);

}  // namespace kg::dsl
