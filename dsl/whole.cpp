#include "dsl/whole.h"

#include <unordered_map>

#include "dsl/functions.h"
#include "dsl/parse_expression.h"
#include "dsl/token_reader.h"
#include "operators/operators.h"

namespace kg::dsl {
namespace {

using Kind = Type::Kind;

// A call with whole arguments.
bool gives_whole(const Function& function) {
  if (!function.expression.empty()) {
    TokenReader tokens(tokenise(function.expression));
    const ExprPtr made = parse_expression(tokens);
    return may_be_whole(Prospect{}, *made);
  }
  switch (function.kind) {
    case Function::Kind::kElementwise:
      return function.name == "abs" || function.name == "square";
    case Function::Kind::kPair:
      return true;
    case Function::Kind::kCast:
      return function.name != "float" && function.name != "half";
    case Function::Kind::kOther:
      return function.name != "zeros" && function.name != "full";
    default:
      return false;
  }
}

bool call_may_be_whole(const Prospect& prospect, const Expr& call) {
  const Function* const function = find_function(call.text, call.args.size());
  if (function == nullptr || !gives_whole(*function)) return false;
  for (std::size_t i = 0; i < call.args.size(); ++i)
    if (passes_whole(call.text, i) && !may_be_whole(prospect, *call.args[i])) return false;
  return true;
}

bool compares(const std::string& op) {
  for (const char* one : {"<", "<=", ">", ">=", "==", "!=", "and", "or", "&", "|"})
    if (op == one) return true;
  return false;
}

}  // namespace

bool passes_whole(const std::string& function, std::size_t argument) {
  if (function == "where") return argument > 0;
  if (function == "gather") return argument == 0;
  for (const char* cast : {"int", "int32", "int16", "len", "start", "size", "arange"})
    if (function == cast) return false;
  return true;
}

const CallCounts* call_counts(const std::string& function) {
  static const std::unordered_map<std::string, CallCounts> all = [] {
    std::unordered_map<std::string, CallCounts> made;
    for (const Function& each : functions()) {
      const auto arguments = static_cast<std::size_t>(each.arguments);
      made[each.name].any.push_back(arguments);
      if (gives_whole(each)) made[each.name].whole.push_back(arguments);
    }
    return made;
  }();
  const auto found = all.find(function);
  return found == all.end() ? nullptr : &found->second;
}

const std::vector<std::string>& called_names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> made;
    for (const Function& each : functions())
      if (made.empty() || made.back() != each.name) made.push_back(each.name);
    return made;
  }();
  return all;
}

bool may_be_whole(const Prospect& prospect, const Expr& expr) {
  switch (expr.kind) {
    case Expr::Kind::kNumber:
      return expr.integer;
    case Expr::Kind::kName: {
      const Variable* variable = prospect.scope.find(expr.text);
      return variable == nullptr || (variable->type.kind != Kind::kFloat && variable->type.kind != Kind::kMatrix);
    }
    case Expr::Kind::kUnary:
      return expr.text != "not" && may_be_whole(prospect, *expr.args[0]);
    case Expr::Kind::kBinary:
      if (compares(expr.text) || expr.text == "/") return false;
      return may_be_whole(prospect, *expr.args[0]) && may_be_whole(prospect, *expr.args[1]);
    case Expr::Kind::kCall:
      return call_may_be_whole(prospect, expr);
    case Expr::Kind::kLoad:
      return !prospect.reals.contains(expr.text);
    case Expr::Kind::kElement:
      return may_be_whole(prospect, *expr.args[0]);
  }
  return true;
}

}  // namespace kg::dsl
