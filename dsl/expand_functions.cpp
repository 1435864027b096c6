#include "dsl/expand_functions.h"

#include <map>
#include <set>

#include "dsl/functions.h"
#include "dsl/parse_expression.h"
#include "dsl/walk.h"
#include "operators/operators.h"

namespace kg::dsl {
namespace {

struct Expansion {
  std::set<std::string> names;               // names in the program
  std::vector<Statement>* before = nullptr;  // receives statements to insert before the current one

  std::string fresh(const std::string& stem) {
    std::string name = stem;
    for (int number = 2; !names.insert(name).second; ++number) name = stem + std::to_string(number);
    return name;
  }
};

// The function's expression with the arguments in the places of its parameters.
ExprPtr expanded(const Expr& call, const Function& function, Expansion& expansion) {
  TokenReader tokens(tokenise(function.expression));
  ExprPtr made = parse_expression(tokens);
  const std::string letters = std::string("xyw").substr(0, static_cast<std::size_t>(function.op->arity)) + "ab";
  std::map<std::string, int> used;
  for_each(made, [&](const ExprPtr& part) { used[part->text] += part->kind == Expr::Kind::kName; });
  std::map<std::string, ExprPtr> arguments;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    const std::string letter(1, letters[i]);
    ExprPtr argument = call.args[i];
    if (used[letter] > 1 && argument->kind != Expr::Kind::kName && argument->kind != Expr::Kind::kNumber) {
      Statement& held = expansion.before->emplace_back();
      held.line = call.line;
      held.name = expansion.fresh(function.name + "_" + letter);
      held.value = argument;
      argument = std::make_shared<Expr>();
      argument->kind = Expr::Kind::kName;
      argument->line = call.line;
      argument->text = held.name;
    }
    arguments[letter] = argument;
  }
  for_each(made, [&](ExprPtr& part) {
    if (part->kind == Expr::Kind::kName)
      part = arguments.at(part->text);
    else
      part->line = call.line;
  });
  return made;
}

void expand(ExprPtr& expr, Expansion& expansion) {
  for_each(expr, [&](ExprPtr& part) {
    if (part->kind != Expr::Kind::kCall) return;
    const Function* function = find_function(part->text, part->args.size());
    if (function != nullptr && !function->expression.empty()) part = expanded(*part, *function, expansion);
  });
}

void expand(std::vector<Statement>& body, Expansion& expansion) {
  std::vector<Statement> made;
  for (Statement& statement : body) {
    expansion.before = &made;
    expand(statement.value, expansion);
    for (Index& index : statement.indices)
      for (ExprPtr* part : {&index.at, &index.to, &index.step}) expand(*part, expansion);
    expand(statement.body, expansion);
    expand(statement.otherwise, expansion);
    made.push_back(std::move(statement));
  }
  body = std::move(made);
}

}  // namespace

void expand_functions(Program& program) {
  Expansion expansion;
  expansion.names = names_of(program);
  expand(program.body, expansion);
}

}  // namespace kg::dsl
