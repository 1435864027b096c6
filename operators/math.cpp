#include <cmath>

#include "operators/families.h"
#include "operators/row.h"

namespace kg::operators {

std::vector<OperatorInfo> math_operators() {
  return {
      elementwise("abs", "math", "|x|", {.simple = 1}, [](const Values& x) -> Values { return x.abs(); },
                  {.dsl = "abs($x)", .flags = kExact | kWhole, .dsl_whole = "max($x, -$x)"}),
      elementwise("square", "math", "x * x", {.simple = 1}, [](const Values& x) -> Values { return x.square(); },
                  {.dsl = "$x * $x", .flags = kWhole}),
      elementwise("cube", "math", "x^3", {.simple = 2}, [](const Values& x) -> Values { return x.cube(); },
                  {.dsl = "$x ** 3", .flags = kWhole}),
      elementwise("pow4", "math", "x^4", {.simple = 2}, [](const Values& x) -> Values { return x.square().square(); },
                  {.dsl = "$x ** 4"}),
      elementwise("exp", "math", "exp(x)", {.slow = 1}, [](const Values& x) -> Values { return x.exp(); },
                  {.dsl = "exp($x)"}),
      elementwise("expm1", "math", "exp(x) - 1", {.simple = 1, .slow = 1},
                  [](const Values& x) -> Values { return x.expm1(); }, {.dsl = "exp($x) - 1"}),
      elementwise("ln", "math", "ln(x)", {.slow = 1}, [](const Values& x) -> Values { return x.log(); },
                  {.dsl = "log($x)", .flags = kPositive}),
      elementwise("ln1p", "math", "ln(1 + x)", {.simple = 1, .slow = 1},
                  [](const Values& x) -> Values { return x.log1p(); }, {.dsl = "log($x + 1)", .flags = kPositive}),
      elementwise("sqrt", "math", "sqrt(x)", {.slow = 1}, [](const Values& x) -> Values { return x.sqrt(); },
                  {.dsl = "sqrt($x)", .flags = kPositive}),
      elementwise("rsqrt", "math", "1 / sqrt(x)", {.simple = 1},
                  [](const Values& x) -> Values { return x.sqrt().inverse(); },
                  {.dsl = "rsqrt($x)", .flags = kPositive}),
      elementwise("reciprocal", "math", "1 / x", {.simple = 1}, [](const Values& x) -> Values { return x.inverse(); },
                  {.dsl = "reciprocal($x)", .flags = kPositive}),
      elementwise("erf", "math", "erf(x)", {.simple = 20, .slow = 2},
                  [](const Values& x) -> Values { return x.unaryExpr([](double v) { return std::erf(v); }); },
                  {.dsl = "erf($x)"}),
      elementwise("sin", "math", "sin(x)", {.simple = 12}, [](const Values& x) -> Values { return x.sin(); },
                  {.dsl = "sin($x)"}),
      elementwise("cos", "math", "cos(x)", {.simple = 12}, [](const Values& x) -> Values { return x.cos(); },
                  {.dsl = "cos($x)"}),
      elementwise("floor", "math", "largest whole number at most x", {.simple = 1},
                  [](const Values& x) -> Values { return x.floor(); }, {.dsl = "floor($x)", .flags = kStep | kExact}),
      elementwise("ceil", "math", "smallest whole number at least x", {.simple = 1},
                  [](const Values& x) -> Values { return x.ceil(); }, {.dsl = "ceil($x)", .flags = kStep | kExact}),
      elementwise("trunc", "math", "x without its fraction", {.simple = 1},
                  [](const Values& x) -> Values { return x.unaryExpr([](double v) { return std::trunc(v); }); },
                  {.dsl = "trunc($x)", .flags = kStep | kExact}),
      elementwise("round", "math", "nearest whole number, ties to even", {.simple = 1},
                  [](const Values& x) -> Values { return x.unaryExpr([](double v) { return std::nearbyint(v); }); },
                  {.dsl = "round($x)", .flags = kStep | kExact}),
      elementwise("sign", "math", "x > 0 ? 1 : x < 0 ? -1 : 0", {.simple = 4},
                  [](const Values& x) -> Values { return x.sign(); },
                  {.dsl = "where($x > 0, 1, where($x < 0, -1, 0))", .flags = kStep | kExact}),
  };
}

}  // namespace kg::operators
