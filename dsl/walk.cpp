#include "dsl/walk.h"

namespace kg::dsl {

std::set<std::string> names_of(Program& program) {
  std::set<std::string> names;
  const auto note = [&](const ExprPtr& part) { names.insert(part->text); };
  for (Parameter& parameter : program.parameters) {
    names.insert(parameter.name);
    for (ExprPtr& extent : parameter.extents) for_each(extent, note);
  }
  for_each_statement(program.body, [&](Statement& statement) {
    names.insert(statement.name);
    for (const LoopItem& item : statement.items) names.insert(item.name);
    for_each_own(statement, note);
  });
  return names;
}

}  // namespace kg::dsl
