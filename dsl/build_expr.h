#pragma once

#include <string>
#include <utility>

#include "dsl/program.h"

namespace kg::dsl {

// Builds the expressions and statements that passes add.
inline ExprPtr number_expr(int line, double value, bool integer) {
  return std::make_shared<Expr>(Expr{.kind = Expr::Kind::kNumber, .line = line, .number = value, .integer = integer});
}
inline ExprPtr whole_expr(int line, std::int64_t value) {
  return number_expr(line, static_cast<double>(value), /*integer=*/true);
}
inline ExprPtr name_expr(int line, const std::string& name, Type type = {}) {
  auto made = std::make_shared<Expr>(Expr{.kind = Expr::Kind::kName, .line = line, .text = name});
  made->type = std::move(type);
  return made;
}
inline ExprPtr binary_expr(int line, const std::string& op, ExprPtr a, ExprPtr b) {
  return std::make_shared<Expr>(
      Expr{.kind = Expr::Kind::kBinary, .line = line, .text = op, .args = {std::move(a), std::move(b)}});
}
inline ExprPtr call_expr(int line, const std::string& function, std::vector<ExprPtr> args) {
  return std::make_shared<Expr>(
      Expr{.kind = Expr::Kind::kCall, .line = line, .text = function, .args = std::move(args)});
}
inline ExprPtr element_expr(int line, ExprPtr tile, ExprPtr at) {
  auto made = std::make_shared<Expr>(Expr{.kind = Expr::Kind::kElement, .line = line, .args = {std::move(tile)}});
  made->indices.push_back({.at = std::move(at)});
  return made;
}
inline Statement assignment(int line, const std::string& name, ExprPtr value) {
  Statement made{.kind = Statement::Kind::kAssign, .line = line, .name = name};
  made.value = std::move(value);
  return made;
}

}  // namespace kg::dsl
