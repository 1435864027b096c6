#pragma once

#include <set>
#include <string>

#include "dsl/program.h"

namespace kg::dsl {

// Calls visit for every subexpression, innermost first. It may replace what it visits.
template <typename Visit>
void for_each(ExprPtr& expr, const Visit& visit) {
  if (!expr) return;
  for (ExprPtr& arg : expr->args) for_each(arg, visit);
  for (Index& index : expr->indices)
    for (ExprPtr* part : {&index.at, &index.to, &index.step}) for_each(*part, visit);
  for_each(expr->pad, visit);
  visit(expr);
}

// The expressions in a statement itself, not those in its blocks.
template <typename Visit>
void for_each_own(Statement& statement, const Visit& visit) {
  for (ExprPtr* part : {&statement.value, &statement.extent}) for_each(*part, visit);
  for (Index& index : statement.indices)
    for (ExprPtr* part : {&index.at, &index.to, &index.step}) for_each(*part, visit);
  for (ExprPtr& extent : statement.extents) for_each(extent, visit);
  for (LoopItem& item : statement.items)
    for (ExprPtr* part : {&item.lo, &item.hi, &item.tile}) for_each(*part, visit);
}

// Every statement, blocks after their heads.
template <typename Visit>
void for_each_statement(std::vector<Statement>& body, const Visit& visit) {
  for (Statement& statement : body) {
    visit(statement);
    for_each_statement(statement.body, visit);
    for_each_statement(statement.otherwise, visit);
  }
}

// All names in a program: tensors, extents, variables, functions.
std::set<std::string> names_of(Program& program);

}  // namespace kg::dsl
