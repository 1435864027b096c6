#include "operators/families.h"
#include "operators/row.h"

namespace kg::operators {

std::vector<OperatorInfo> arithmetic_operators() {
  return {
      elementwise("add", "arithmetic", "x + y", {.simple = 1},
                  [](const Values& x, const Values& y) -> Values { return x + y; },
                  {.dsl = "$x + $y", .flags = kWhole}),
      elementwise("sub", "arithmetic", "x - y", {.simple = 1},
                  [](const Values& x, const Values& y) -> Values { return x - y; },
                  {.dsl = "$x - $y", .flags = kWhole}),
      elementwise("mul", "arithmetic", "x * y", {.simple = 1},
                  [](const Values& x, const Values& y) -> Values { return x * y; },
                  {.dsl = "$x * $y", .flags = kWhole}),
      elementwise("div", "arithmetic", "x / y", {.slow = 1},
                  [](const Values& x, const Values& y) -> Values { return x / y; },
                  {.dsl = "$x / $y", .flags = kPositive}),
      elementwise("max", "arithmetic", "max(x, y)", {.simple = 1},
                  [](const Values& x, const Values& y) -> Values { return larger(x, y); },
                  {.dsl = "max($x, $y)", .flags = kExact | kWhole}),
      elementwise("min", "arithmetic", "min(x, y)", {.simple = 1},
                  [](const Values& x, const Values& y) -> Values { return smaller(x, y); },
                  {.dsl = "min($x, $y)", .flags = kExact | kWhole}),
      elementwise("axpy", "arithmetic", "a * x + y", {.simple = 1},
                  [](const Values& x, const Values& y, double a) -> Values { return a * x + y; },
                  {.dsl = "$a * $x + $y", .attributes = {{0.5, 2, -1.5, 0.25}}}),
      elementwise("adds", "arithmetic", "x + a", {.simple = 1},
                  [](const Values& x, double a) -> Values { return x + a; },
                  {.dsl = "$x + $a", .flags = kWhole, .attributes = {{1, -2, 3, 5}}}),
      elementwise("muls", "arithmetic", "x * a", {.simple = 1},
                  [](const Values& x, double a) -> Values { return x * a; },
                  {.dsl = "$x * $a", .flags = kWhole, .attributes = {{2, 3, -2, -3}}}),
      elementwise("maxs", "arithmetic", "max(x, a)", {.simple = 1},
                  [](const Values& x, double a) -> Values { return larger(x, a); },
                  {.dsl = "max($x, $a)", .flags = kExact | kWhole, .attributes = {{-1, 0, 1}}}),
      elementwise("mins", "arithmetic", "min(x, a)", {.simple = 1},
                  [](const Values& x, double a) -> Values { return smaller(x, a); },
                  {.dsl = "min($x, $a)", .flags = kExact | kWhole, .attributes = {{-1, 0, 1}}}),
      elementwise("clamp", "arithmetic", "min(max(x, a), b)", {.simple = 2},
                  [](const Values& x, double a, double b) -> Values { return smaller(larger(x, a), b); },
                  {.dsl = "clamp($x, $a, $b)",
                   .flags = kExact | kWhole,
                   .attributes = {{-1, -0.5, -2}, {0.5, 1, 2}},
                   .dsl_whole = "max(min($x, $b), $a)"}),
      elementwise("neg", "arithmetic", "-x", {.simple = 1}, [](const Values& x) -> Values { return -x; },
                  {.dsl = "-$x", .flags = kExact | kWhole}),
  };
}

}  // namespace kg::operators
