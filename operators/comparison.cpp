#include "operators/families.h"
#include "operators/row.h"

namespace kg::operators {

std::vector<OperatorInfo> comparison_operators() {
  return {
      elementwise(
          "threshold", "comparison", "x > a ? x : b", {.simple = 2},
          [](const Values& x, double a, double b) -> Values { return where(x > a, x, b); },
          {.dsl = "where($x > $a, $x, $b)", .flags = kStep | kExact, .attributes = {{0, 0.5, -0.5}, {-1, 2, 0.25}}}),
      elementwise("step", "comparison", "x > a ? 1 : 0", {.simple = 2},
                  [](const Values& x, double a) -> Values { return where(x > a, 1.0, 0.0); },
                  {.dsl = "where($x > $a, 1, 0)", .flags = kStep | kExact, .attributes = {{0, 0.5, -0.5, 1}}}),
      elementwise("greater", "comparison", "x > y ? 1 : 0", {.simple = 2},
                  [](const Values& x, const Values& y) -> Values { return where(x > y, 1.0, 0.0); },
                  {.dsl = "where($x > $y, 1, 0)", .flags = kStep | kExact}),
      elementwise("less", "comparison", "x < y ? 1 : 0", {.simple = 2},
                  [](const Values& x, const Values& y) -> Values { return where(x < y, 1.0, 0.0); },
                  {.dsl = "where($x < $y, 1, 0)", .flags = kStep | kExact}),
      elementwise("greater_equal", "comparison", "x >= y ? 1 : 0", {.simple = 2},
                  [](const Values& x, const Values& y) -> Values { return where(x >= y, 1.0, 0.0); },
                  {.dsl = "where($x >= $y, 1, 0)", .flags = kStep | kExact}),
      elementwise("less_equal", "comparison", "x <= y ? 1 : 0", {.simple = 2},
                  [](const Values& x, const Values& y) -> Values { return where(x <= y, 1.0, 0.0); },
                  {.dsl = "where($x <= $y, 1, 0)", .flags = kStep | kExact}),
      elementwise("select_gt", "comparison", "x > y ? x : z", {.simple = 2},
                  [](const Values& x, const Values& y, const Values& z) -> Values { return where(x > y, x, z); },
                  {.dsl = "where($x > $y, $x, $w)", .flags = kStep | kExact}),
      elementwise("select_lt", "comparison", "x < y ? x : z", {.simple = 2},
                  [](const Values& x, const Values& y, const Values& z) -> Values { return where(x < y, x, z); },
                  {.dsl = "where($x < $y, $x, $w)", .flags = kStep | kExact}),
      elementwise(
          "inside", "comparison", "a < x and x < b ? 1 : 0", {.simple = 4},
          [](const Values& x, double a, double b) -> Values { return where(x > a && x < b, 1.0, 0.0); },
          {.dsl = "where(($x > $a) & ($x < $b), 1, 0)", .flags = kStep | kExact, .attributes = {{-1, -0.5}, {0.5, 1}}}),
      elementwise("select_positive", "comparison", "x > 0 ? y : z", {.simple = 2},
                  [](const Values& x, const Values& y, const Values& z) -> Values { return where(x > 0.0, y, z); },
                  {.dsl = "where($x > 0, $y, $w)", .flags = kStep | kExact}),
      elementwise("masked_fill", "comparison", "y > 0 ? a : x", {.simple = 2},
                  [](const Values& x, const Values& y, double a) -> Values { return where(y > 0.0, a, x); },
                  {.dsl = "where($y > 0, $a, $x)", .flags = kStep | kExact, .attributes = {{-8, 0.5, 4}}}),
  };
}

}  // namespace kg::operators
