#pragma once

#include <map>
#include <optional>
#include <string>

#include "dataset/cot/modules/graph.h"
#include "dsl/program.h"

namespace kg::dataset::cot::modules {

// An author's habits in formulas.
struct FormulaStyle {
  explicit FormulaStyle(Draw& draw);
  bool latex;
  int product, fraction, exponential, call, choice, bars, reduction;
  bool wide;                 // spaces around signs
  std::string left, right;   // brackets
  std::string count, index;  // of a reduction
};

// A formula in the DSL's syntax, in which pi, n (the length of a row) and any function may stand: $x, $a as in a node's
// texts, or the same without $. nullopt: an element, a load or a scan is in it, which formulas do not have.
std::optional<dsl::ExprPtr> parse_formula(const std::string& text);
// With operands replaced by expressions.
dsl::ExprPtr with_operands(const dsl::ExprPtr& formula, const std::map<std::string, dsl::ExprPtr>& operands);
dsl::ExprPtr formula_name(const std::string& name);
int size_of(const dsl::Expr& formula);                           // number of its parts
int uses_of(const dsl::Expr& formula, const std::string& name);  // how often the name is in it

// The formula as people write it. symbols: of its names; those that are missing stay as they are.
std::string formula_text(const dsl::Expr& formula, const FormulaStyle& style,
                         const std::map<std::string, std::string>& symbols);

}  // namespace kg::dataset::cot::modules
