#include "dataset/cot/modules/formula.h"

#include <cctype>
#include <set>

#include "dsl/parse_expression.h"
#include "dsl/refusal.h"
#include "dsl/token.h"

namespace kg::dataset::cot::modules {
namespace {

using dsl::Expr;
using dsl::ExprPtr;

bool can_be_said(const Expr& expr) {
  static const std::set<std::string> others = {"flip", "cumsum", "cumprod", "gather", "arange", "all_sum", "start"};
  if (expr.kind == Expr::Kind::kLoad || expr.kind == Expr::Kind::kElement) return false;
  if (expr.kind == Expr::Kind::kCall && others.contains(expr.text)) return false;
  for (const ExprPtr& one : expr.args)
    if (!can_be_said(*one)) return false;
  return true;
}

}  // namespace

std::optional<ExprPtr> parse_formula(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$')
      plain += text[i];
    else if (i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0)
      plain += 's';
  }
  try {
    dsl::TokenReader tokens(dsl::tokenise(plain));
    ExprPtr formula = dsl::parse_expression(tokens);
    if (can_be_said(*formula)) return formula;
  } catch (const dsl::Refusal&) {
    return std::nullopt;
  }
  return std::nullopt;
}

ExprPtr with_operands(const ExprPtr& formula, const std::map<std::string, ExprPtr>& operands) {
  if (formula->kind == Expr::Kind::kName) {
    const auto found = operands.find(formula->text);
    return found == operands.end() ? formula : found->second;
  }
  auto copy = std::make_shared<Expr>(*formula);
  for (ExprPtr& one : copy->args) one = with_operands(one, operands);
  return copy;
}

ExprPtr formula_name(const std::string& name) {
  auto made = std::make_shared<Expr>();
  made->kind = Expr::Kind::kName;
  made->text = name;
  return made;
}

int size_of(const Expr& formula) {
  int size = 1;
  for (const ExprPtr& one : formula.args) size += size_of(*one);
  return size;
}

int uses_of(const Expr& formula, const std::string& name) {
  int uses = formula.kind == Expr::Kind::kName && formula.text == name ? 1 : 0;
  for (const ExprPtr& one : formula.args) uses += uses_of(*one, name);
  return uses;
}

}  // namespace kg::dataset::cot::modules
