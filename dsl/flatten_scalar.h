#pragma once

#include <string>

#include "dsl/flattening.h"

namespace kg::dsl {

// Precedence of C++ operators, for parentheses.
inline constexpr int kConditional = 0, kOr = 1, kAnd = 2, kCompare = 3, kSum = 5, kProduct = 6, kUnary = 7, kAtom = 100;

// C++ text of a number, and the precedence of its outermost operator.
struct Text {
  std::string text;
  int binding = kAtom;
};

// A number of the program as C++. Appends steps if it needs some: a reduction, an element of a tile, a load.
Text scalar_of(Flattening& flat, const Expr& expr);
// A number as the argument of a vector call on tiles of `dtype`; bare: the same before its last conversion.
std::string argument(Flattening& flat, const Expr& expr, proto::DType dtype);
std::string bare_argument(Flattening& flat, const Expr& expr, proto::DType dtype);

// Text of a number with a tile's element type.
std::string in_type(const std::string& text, proto::DType dtype);
// Adds parentheses: unless it is one word; if it binds less tightly than `binding`.
std::string grouped(const std::string& text);
std::string wrapped(const Text& text, int binding);

}  // namespace kg::dsl
