#pragma once

#include <optional>
#include <string>

#include "dsl/visible.h"

namespace kg::dsl {

// Whole numbers as sums of names: the form in which indices, bounds and lengths are compared.

// The value of a checked expression.
Linear linear(const Visible& seen, const Expr& expr);
// The value of an expression that must be constant; `what` is its name in the refusal. Checks the expression.
std::int64_t constant_value(Visible& seen, Expr& expr, const std::string& what);
// The smallest and largest value, if the names have bounds.
std::optional<Bounds> bounds(const Visible& seen, const Linear& value);
// A length as a sum, and a sum as a tile length.
Linear linear_of(const Length& length);
Length length_of(const Visible& seen, const Linear& value, int line, const std::string& text);

}  // namespace kg::dsl
