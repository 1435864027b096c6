#pragma once

#include <string>
#include <vector>

#include "dsl/refusal.h"
#include "dsl/scope.h"
#include "dsl/types.h"

namespace kg::dsl {

// What an expression can see while it is checked.
struct Visible {
  const std::vector<Parameter>& parameters;
  Scope scope;
  bool top_level = true;                  // outside all loops and conditions
  std::int64_t longest_tile = kMostTile;  // elements
};

// The index of a parameter; -1: no such name.
inline int parameter_of(const Visible& seen, const std::string& name) {
  for (std::size_t i = 0; i < seen.parameters.size(); ++i)
    if (seen.parameters[i].name == name) return static_cast<int>(i);
  return -1;
}

[[noreturn]] inline void refuse(const Expr& expr, const std::string& rule) {
  throw Refusal(expr.line, text_of(expr), rule);
}

}  // namespace kg::dsl
