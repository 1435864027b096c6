#pragma once

#include <optional>
#include <string>

#include "dsl/visible.h"

namespace kg::dsl {

// Whole numbers as sums of names: what indices, bounds and lengths are compared by.

// The value of a checked expression.
Linear linear(const Visible& seen, const Expr& expr);
// The value of an expression that must be a constant; `what` names it in the refusal. Checks the expression.
std::int64_t constant_value(Visible& seen, Expr& expr, const std::string& what);
// The least and the greatest value, if the names have bounds.
std::optional<Bounds> bounds(const Visible& seen, const Linear& value);
// A length as a sum, and a sum as the length of a tile.
Linear linear_of(const Length& length);
Length length_of(const Visible& seen, const Linear& value, int line, const std::string& text);

}  // namespace kg::dsl
