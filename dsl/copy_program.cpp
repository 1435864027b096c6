#include "dsl/copy_program.h"

#include <algorithm>

namespace kg::dsl {

ExprPtr copied(const ExprPtr& expr) {
  if (!expr) return nullptr;
  auto made = std::make_shared<Expr>(*expr);
  for (ExprPtr& arg : made->args) arg = copied(arg);
  for (Index& index : made->indices) index = {copied(index.at), copied(index.to), copied(index.step), index.slice};
  made->pad = copied(expr->pad);
  return made;
}

namespace {

Statement copied(const Statement& statement) {
  Statement made = statement;
  for (Index& index : made.indices) index = {copied(index.at), copied(index.to), copied(index.step), index.slice};
  made.value = copied(statement.value);
  made.extent = copied(statement.extent);
  for (ExprPtr& extent : made.extents) extent = copied(extent);
  for (LoopItem& item : made.items) {
    item.lo = copied(item.lo);
    item.hi = copied(item.hi);
    item.tile = copied(item.tile);
  }
  made.body = copied(statement.body);
  made.otherwise = copied(statement.otherwise);
  return made;
}

}  // namespace

std::vector<Statement> copied(const std::vector<Statement>& body) {
  std::vector<Statement> made;
  for (const Statement& statement : body) made.push_back(copied(statement));
  return made;
}

bool holds(const Statement& statement, int line) {
  const auto one_holds = [&](const Statement& each) { return holds(each, line); };
  return statement.line == line || std::any_of(statement.body.begin(), statement.body.end(), one_holds) ||
         std::any_of(statement.otherwise.begin(), statement.otherwise.end(), one_holds);
}

}  // namespace kg::dsl
