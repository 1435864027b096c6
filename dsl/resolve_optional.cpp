#include <algorithm>
#include <iterator>
#include <optional>

#include "dsl/refusal.h"
#include "dsl/resolve.h"
#include "dsl/walk.h"

// given(b) is known when a program is lowered: conditions that it decides are decided here, and the branch that is not
// taken is never looked at again.
namespace kg::dsl {
namespace {

constexpr const char* kTrue = "given";
constexpr const char* kFalse = "not given";

// A decided condition is a number with one of these texts, for as long as this file works on it.
std::optional<bool> decided(const ExprPtr& expr) {
  if (!expr || expr->kind != Expr::Kind::kNumber || (expr->text != kTrue && expr->text != kFalse)) return std::nullopt;
  return expr->text == kTrue;
}

ExprPtr decision(bool value, int line) {
  return std::make_shared<Expr>(
      Expr{.kind = Expr::Kind::kNumber, .line = line, .text = value ? kTrue : kFalse, .integer = true});
}

void decide_call(const Program& program, ExprPtr& part) {
  if (part->args.size() != 1 || part->args[0]->kind != Expr::Kind::kName)
    throw Refusal(part->line, text_of(*part), "given takes the name of an optional parameter");
  const std::string& name = part->args[0]->text;
  const bool absent = program.absent.contains(name);
  const bool known =
      absent || std::any_of(program.parameters.begin(), program.parameters.end(), [&](const Parameter& parameter) {
        return parameter.name == name && (parameter.optional || parameter.list);
      });
  if (!known)
    throw Refusal(part->line, text_of(*part),
                  name + " is not an optional parameter; declare it with '?', as in " + name + ": half[N]?");
  part = decision(!absent, part->line);
}

void decide(const Program& program, ExprPtr& expr) {
  for_each(expr, [&](ExprPtr& part) {
    if (part->kind == Expr::Kind::kCall && part->text == "given") return decide_call(program, part);
    if (part->kind == Expr::Kind::kUnary && part->text == "not") {
      if (const auto known = decided(part->args[0])) part = decision(!*known, part->line);
    } else if (part->kind == Expr::Kind::kBinary && (part->text == "and" || part->text == "or")) {
      for (std::size_t i = 0; i < 2; ++i)
        if (const auto known = decided(part->args[i])) {
          part = *known == (part->text == "or") ? decision(*known, part->line) : part->args[1 - i];
          return;
        }
    } else if (part->kind == Expr::Kind::kCall && part->text == "where" && part->args.size() == 3) {
      if (const auto known = decided(part->args[0])) part = part->args[*known ? 1 : 2];
    }
  });
}

void refuse_rest(const Program& program, Statement& statement) {
  for_each_own(statement, [&](const ExprPtr& part) {
    if (decided(part)) throw Refusal(part->line, "given", "given(...) is a condition, for if and where");
    if (part->kind == Expr::Kind::kLoad && program.absent.contains(part->text))
      throw Refusal(part->line, text_of(*part),
                    "the task does not give " + part->text + "; put this into 'if given(" + part->text + "):'");
  });
  if (statement.kind == Statement::Kind::kStore && program.absent.contains(statement.name))
    throw Refusal(statement.line, "store " + statement.name,
                  "the task does not want " + statement.name + "; put this into 'if given(" + statement.name + "):'");
}

std::vector<Statement> decided(const Program& program, std::vector<Statement>& body) {
  std::vector<Statement> made;
  for (Statement& statement : body) {
    if (statement.kind == Statement::Kind::kIf) {
      decide(program, statement.value);
      if (const auto known = decided(statement.value)) {
        std::vector<Statement> taken = decided(program, *known ? statement.body : statement.otherwise);
        std::move(taken.begin(), taken.end(), std::back_inserter(made));
        continue;
      }
    }
    for (ExprPtr* part : {&statement.value, &statement.extent}) decide(program, *part);
    for (LoopItem& item : statement.items)
      for (ExprPtr* part : {&item.lo, &item.hi, &item.tile}) decide(program, *part);
    refuse_rest(program, statement);
    statement.body = decided(program, statement.body);
    statement.otherwise = decided(program, statement.otherwise);
    made.push_back(std::move(statement));
  }
  return made;
}

}  // namespace

void leave_out_absent(Program& program, const std::vector<TensorShape>& tensors) {
  std::erase_if(program.parameters, [&](const Parameter& parameter) {
    if (parameter.tensor < 0 || !tensors[static_cast<std::size_t>(parameter.tensor)].absent || parameter.list)
      return false;
    if (!parameter.optional)
      throw Refusal(parameter.line, parameter.name,
                    "the task does not give " + parameter.name + "; declare it with '?' and ask with if given(" +
                        parameter.name + ")");
    program.absent.insert(parameter.name);
    return true;
  });
  for (const std::string& name : program.absent) {
    std::erase(program.outputs, name);
    std::replace(program.signature.begin(), program.signature.end(), name, std::string());
  }
  program.body = decided(program, program.body);
}

}  // namespace kg::dsl
