#include "operators/families.h"
#include "operators/row.h"

namespace kg::operators {

std::vector<OperatorInfo> fused_arithmetic_operators() {
  return {
      elementwise("squared_difference", "arithmetic", "(x - y)^2", {.simple = 2},
                  [](const Values& x, const Values& y) -> Values { return (x - y).square(); },
                  {.dsl = "($x - $y) ** 2"}),
      elementwise("hypot", "arithmetic", "sqrt(x * x + y * y)", {.simple = 3, .slow = 1},
                  [](const Values& x, const Values& y) -> Values { return (x.square() + y.square()).sqrt(); },
                  {.dsl = "sqrt($x * $x + $y * $y)"}),
      elementwise("lerp", "arithmetic", "x + a * (y - x)", {.simple = 3},
                  [](const Values& x, const Values& y, double a) -> Values { return x + a * (y - x); },
                  {.dsl = "$x + $a * ($y - $x)", .attributes = {{0.25, 0.5, 0.75}}}),
      elementwise("abs_max", "arithmetic", "max(|x|, |y|)", {.simple = 3},
                  [](const Values& x, const Values& y) -> Values { return larger(x.abs(), y.abs()); },
                  {.dsl = "max(abs($x), abs($y))", .flags = kExact}),
      elementwise("muladd", "arithmetic", "x * y + z", {.simple = 2},
                  [](const Values& x, const Values& y, const Values& z) -> Values { return x * y + z; },
                  {.dsl = "$x * $y + $w", .flags = kWhole}),
      elementwise("addcmul", "arithmetic", "x + a * y * z", {.simple = 3},
                  [](const Values& x, const Values& y, const Values& z, double a) -> Values { return x + a * y * z; },
                  {.dsl = "$x + $a * $y * $w", .attributes = {{0.5, 2, -1}}}),
      elementwise("addcdiv", "arithmetic", "x + a * y / z", {.simple = 2, .slow = 1},
                  [](const Values& x, const Values& y, const Values& z, double a) -> Values { return x + a * y / z; },
                  {.dsl = "$x + $a * $y / $w", .flags = kPositive, .attributes = {{0.5, 2, 0.25}}}),
  };
}

}  // namespace kg::operators
