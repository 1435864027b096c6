#include "operators/families.h"
#include "operators/row.h"

namespace kg::operators {

std::vector<OperatorInfo> optimiser_operators() {
  return {
      elementwise("momentum", "optimiser", "a * x + y", {.simple = 2},
                  [](const Values& x, const Values& y, double a) -> Values { return a * x + y; },
                  {.dsl = "$a * $x + $y", .attributes = {{0.875, 0.75, 0.5}}}),
      elementwise("ema", "optimiser", "a * x + (1 - a) * y", {.simple = 3},
                  [](const Values& x, const Values& y, double a) -> Values { return a * x + (1.0 - a) * y; },
                  {.dsl = "$a * $x + (1 - $a) * $y", .attributes = {{0.875, 0.75, 0.9375}}}),
      elementwise(
          "ema_square", "optimiser", "a * x + (1 - a) * y * y", {.simple = 4},
          [](const Values& x, const Values& y, double a) -> Values { return a * x + (1.0 - a) * y.square(); },
          {.dsl = "$a * $x + (1 - $a) * $y * $y", .flags = kPositiveState, .attributes = {{0.875, 0.75, 0.9375}}}),
      elementwise("accumulate_square", "optimiser", "x + y * y", {.simple = 2},
                  [](const Values& x, const Values& y) -> Values { return x + y.square(); },
                  {.dsl = "$x + $y * $y", .flags = kPositiveState}),
      elementwise("descend", "optimiser", "x - a * y", {.simple = 2},
                  [](const Values& x, const Values& y, double a) -> Values { return x - a * y; },
                  {.dsl = "$x - $a * $y", .attributes = {{0.125, 0.0625, 0.25}}}),
      elementwise("descend_root", "optimiser", "x - a * y / (sqrt(z) + 0.001)", {.simple = 4, .slow = 2},
                  [](const Values& x, const Values& y, const Values& z, double a) -> Values {
                    return x - a * y / (z.sqrt() + 1e-3);
                  },
                  {.dsl = "$x - $a * $y / (sqrt($w) + 0.001)", .attributes = {{0.125, 0.0625, 0.03125}}}),
      elementwise("decay", "optimiser", "x * (1 - a)", {.simple = 1},
                  [](const Values& x, double a) -> Values { return x * (1.0 - a); },
                  {.dsl = "$x * (1 - $a)", .attributes = {{0.125, 0.0625}}}),
      elementwise(
          "sign_descend", "optimiser", "x - a * sign(y)", {.simple = 6},
          [](const Values& x, const Values& y, double a) -> Values { return x - a * y.sign(); },
          {.dsl = "$x - $a * where($y > 0, 1, where($y < 0, -1, 0))", .flags = kStep, .attributes = {{0.125, 0.0625}}}),
  };
}

}  // namespace kg::operators
