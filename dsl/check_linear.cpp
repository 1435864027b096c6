#include "dsl/check_linear.h"

#include <algorithm>

#include "dsl/check_expression.h"
#include "dsl/types.h"

namespace kg::dsl {

Linear linear(const Visible& seen, const Expr& expr) {
  const auto itself = [&] { return Linear{.terms = {{text_of(expr), 1}}}; };
  switch (expr.kind) {
    case Expr::Kind::kNumber:
      return {.constant = static_cast<std::int64_t>(expr.number)};
    case Expr::Kind::kName: {
      const Variable* variable = seen.scope.find(expr.text);
      return variable != nullptr && variable->linear ? *variable->linear : itself();
    }
    case Expr::Kind::kUnary:
      return Linear{}.add(linear(seen, *expr.args[0]), -1);
    case Expr::Kind::kBinary: {
      if (expr.text == "**") return itself();
      const Linear a = linear(seen, *expr.args[0]), b = linear(seen, *expr.args[1]);
      if (expr.text == "+" || expr.text == "-") return Linear(a).add(b, expr.text == "+" ? 1 : -1);
      if (expr.text == "*" && b.is_constant()) return Linear{}.add(a, b.constant);
      if (expr.text == "*" && a.is_constant()) return Linear{}.add(b, a.constant);
      if (a.is_constant() && b.is_constant() && b.constant > 0 && expr.text == "//")
        return {.constant = a.constant / b.constant};
      if (a.is_constant() && b.is_constant() && b.constant > 0 && expr.text == "%")
        return {.constant = a.constant % b.constant};
      return itself();
    }
    case Expr::Kind::kCall: {
      if (expr.text == "size") return {.constant = static_cast<std::int64_t>(expr.number)};
      if (expr.text == "len") return linear_of(expr.args[0]->type.length);
      if (expr.text == "start") return linear(seen, *expr.args[0]);
      if (expr.args.size() == 2 && (expr.text == "min" || expr.text == "max")) {
        const Linear a = linear(seen, *expr.args[0]), b = linear(seen, *expr.args[1]);
        if (a.is_constant() && b.is_constant())
          return {.constant = expr.text == "min" ? std::min(a.constant, b.constant) : std::max(a.constant, b.constant)};
      }
      return itself();
    }
    default:
      return itself();
  }
}

std::int64_t constant_value(Visible& seen, Expr& expr, const std::string& what) {
  if (check_expression(seen, expr).kind != Type::Kind::kInt) refuse(expr, what + " is a whole number");
  const Linear value = linear(seen, expr);
  if (!value.is_constant()) refuse(expr, what + " is a constant");
  return value.constant;
}

std::optional<Bounds> bounds(const Visible& seen, const Linear& value) {
  Bounds result{value.constant, value.constant};
  Linear rest = value;
  for (const auto& [name, coefficient] : value.terms) {
    if (!rest.terms.contains(name)) continue;
    if (name.starts_with("len ")) continue;
    const Variable* variable = seen.scope.find(name);
    if (variable == nullptr || !variable->bounds) return std::nullopt;
    // A range's start moves up to its end; start + length never goes past it.
    std::int64_t low = variable->bounds->low, high = variable->bounds->high;
    if (variable->type.kind == Type::Kind::kRange) {
      const std::string own = "len " + name;
      if (rest.terms.contains(own) && rest.terms.at(own) == coefficient)
        rest.terms.erase(own);
      else
        high = variable->tile > 0 ? (high - 1) / variable->tile * variable->tile : high;
    }
    result.low += coefficient * (coefficient > 0 ? low : high);
    result.high += coefficient * (coefficient > 0 ? high : low);
    rest.terms.erase(name);
  }
  if (!rest.terms.empty()) return std::nullopt;
  return result;
}

Linear linear_of(const Length& length) {
  Linear result{.constant = length.constant};
  if (length.factor != 0) result.terms["len " + length.range] = length.factor;
  return result;
}

Length length_of(const Visible& seen, const Linear& value, int line, const std::string& text) {
  Length length{.constant = value.constant};
  if (value.terms.size() > 1)
    throw Refusal(line, text, "a tile's length is a constant or follows the length of one tile range");
  for (const auto& [name, coefficient] : value.terms) {
    if (!name.starts_with("len ") || coefficient < 1)
      throw Refusal(
          line, text,
          "a tile's length is a constant or follows the length of one tile range; this one depends on " + name);
    length.factor = coefficient;
    length.range = name.substr(4);
  }
  if (length.factor == 0 && (length.constant < 1 || length.constant > seen.longest_tile))
    throw Refusal(line, text,
                  "a tile has 1 to 65536 elements, this one " + std::to_string(length.constant) +
                      "; cut a longer dimension with tiles(...)");
  return length;
}

}  // namespace kg::dsl
