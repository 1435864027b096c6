#include "dsl/constant.h"

#include <algorithm>

namespace kg::dsl {

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

std::optional<std::int64_t> constant_of(const Expr& expr, const std::map<std::string, std::int64_t>& names) {
  std::vector<std::int64_t> values;
  for (const ExprPtr& arg : expr.args) {
    const auto value = constant_of(*arg, names);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  std::int64_t result = 0;
  switch (expr.kind) {
    case Expr::Kind::kNumber:
      if (!expr.integer) return std::nullopt;
      return static_cast<std::int64_t>(expr.number);
    case Expr::Kind::kName: {
      const auto found = names.find(expr.text);
      if (found == names.end()) return std::nullopt;
      return found->second;
    }
    case Expr::Kind::kUnary:
      if (expr.text != "-" || __builtin_sub_overflow(0, values[0], &result)) return std::nullopt;
      return result;
    case Expr::Kind::kBinary:
      if (expr.text == "+")
        return __builtin_add_overflow(values[0], values[1], &result) ? std::nullopt : std::optional(result);
      if (expr.text == "-")
        return __builtin_sub_overflow(values[0], values[1], &result) ? std::nullopt : std::optional(result);
      if (expr.text == "*")
        return __builtin_mul_overflow(values[0], values[1], &result) ? std::nullopt : std::optional(result);
      if ((expr.text == "//" || expr.text == "%") && values[1] > 0) {
        const std::int64_t quotient = floor_div(values[0], values[1]);
        return expr.text == "//" ? quotient : values[0] - quotient * values[1];
      }
      return std::nullopt;
    case Expr::Kind::kCall:
      if (values.size() == 2 && expr.text == "min") return std::min(values[0], values[1]);
      if (values.size() == 2 && expr.text == "max") return std::max(values[0], values[1]);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace kg::dsl
