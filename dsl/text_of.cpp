#include <cstdio>

#include "dsl/program.h"

namespace kg::dsl {
namespace {

std::string number_text(const Expr& expr) {
  char text[48];
  std::snprintf(text, sizeof(text), expr.integer ? "%.0f" : "%.9g", expr.number);
  return text;
}

std::string list_of(const std::vector<ExprPtr>& args) {
  std::string text;
  for (const ExprPtr& arg : args) text += (text.empty() ? "" : ", ") + text_of(*arg);
  return text;
}

std::string operand(const Expr& expr) {
  const std::string text = text_of(expr);
  return expr.kind == Expr::Kind::kBinary ? "(" + text + ")" : text;
}

}  // namespace

std::string text_of(const std::vector<Index>& indices) {
  std::string text;
  for (const Index& index : indices) {
    if (!text.empty()) text += ", ";
    if (index.at) text += text_of(*index.at);
    if (index.slice) text += ":";
    if (index.to) text += text_of(*index.to);
    if (index.step) text += ":" + text_of(*index.step);
  }
  return "[" + text + "]";
}

std::string text_of(const Expr& expr) {
  switch (expr.kind) {
    case Expr::Kind::kNumber:
      return number_text(expr);
    case Expr::Kind::kName:
      return expr.text;
    case Expr::Kind::kUnary:
      return (expr.text == "not" ? "not " : expr.text) + operand(*expr.args[0]);
    case Expr::Kind::kBinary:
      return operand(*expr.args[0]) + " " + expr.text + " " + operand(*expr.args[1]);
    case Expr::Kind::kCall:
      return expr.text + "(" + list_of(expr.args) + ")";
    case Expr::Kind::kLoad:
      return "load " + expr.text + text_of(expr.indices);
    case Expr::Kind::kElement:
      return operand(*expr.args[0]) + text_of(expr.indices);
  }
  return "";
}

}  // namespace kg::dsl
