#pragma once

#include "dsl/visible.h"

namespace kg::dsl {

// The type of a call. Checks its arguments.
Type call_type(Visible& seen, Expr& expr);
// The common type of the operands of an elementwise operation, starting with number `first`; scalars match any tile.
Type common_type(Expr& expr, std::size_t first = 0);

}  // namespace kg::dsl
