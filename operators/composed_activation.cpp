#include "operators/families.h"
#include "operators/row.h"

namespace kg::operators {

// Activations that the DSL has no instructions for: other functions make them up.
std::vector<OperatorInfo> composed_activation_operators() {
  return {
      elementwise("hardswish", "activation", "x * min(max(x + 3, 0), 6) / 6", {.simple = 5},
                  [](const Values& x) -> Values { return x * smaller(larger(x + 3.0, 0.0), 6.0) / 6.0; },
                  {.dsl = "$x * clamp($x + 3, 0, 6) / 6"}),
      elementwise("hardsigmoid", "activation", "min(max(x / 6 + 0.5, 0), 1)", {.simple = 4},
                  [](const Values& x) -> Values { return smaller(larger(x / 6.0 + 0.5, 0.0), 1.0); },
                  {.dsl = "clamp($x / 6 + 0.5, 0, 1)"}),
      elementwise("hardtanh", "activation", "min(max(x, -1), 1)", {.simple = 2},
                  [](const Values& x) -> Values { return smaller(larger(x, -1.0), 1.0); },
                  {.dsl = "clamp($x, -1, 1)", .flags = kExact}),
      elementwise("relu6", "activation", "min(max(x, 0), 6)", {.simple = 2},
                  [](const Values& x) -> Values { return smaller(larger(x, 0.0), 6.0); },
                  {.dsl = "clamp($x, 0, 6)", .flags = kExact}),
      elementwise("elu", "activation", "x > 0 ? x : a * (exp(x) - 1)", {.simple = 4, .slow = 1},
                  [](const Values& x, double a) -> Values { return where(x > 0.0, x, a * x.expm1()); },
                  {.dsl = "where($x > 0, $x, $a * (exp($x) - 1))", .attributes = {{1, 0.5, 0.25}}}),
      elementwise("selu", "activation", "1.0507 * (x > 0 ? x : 1.67326 * (exp(x) - 1))", {.simple = 5, .slow = 1},
                  [](const Values& x) -> Values { return 1.0507 * where(x > 0.0, x, 1.67326 * x.expm1()); },
                  {.dsl = "1.0507 * where($x > 0, $x, 1.67326 * (exp($x) - 1))"}),
      elementwise("softsign", "activation", "x / (1 + |x|)", {.simple = 2, .slow = 1},
                  [](const Values& x) -> Values { return x / (1.0 + x.abs()); }, {.dsl = "$x / (abs($x) + 1)"}),
      elementwise("mish", "activation", "x * tanh(ln(1 + exp(x)))", {.simple = 6, .slow = 4},
                  [](const Values& x) -> Values { return x * x.exp().log1p().tanh(); },
                  {.dsl = "$x * tanh(softplus($x))"}),
      elementwise("quick_gelu", "activation", "x / (1 + exp(-1.702 * x))", {.simple = 2, .slow = 2},
                  [](const Values& x) -> Values { return x / (1.0 + (-1.702 * x).exp()); },
                  {.dsl = "$x * sigmoid(1.702 * $x)"}),
      elementwise("swiglu", "activation", "x / (1 + exp(-x)) * y", {.simple = 3, .slow = 2},
                  [](const Values& x, const Values& y) -> Values { return x * sigmoid(x) * y; },
                  {.dsl = "silu($x) * $y"}),
      elementwise(
          "celu", "activation", "x > 0 ? x : a * (exp(x / a) - 1)", {.simple = 5, .slow = 1},
          [](const Values& x, double a) -> Values { return where(x > 0.0, x, a * (x / a).expm1()); },
          {.dsl = "where($x > 0, $x, $a * (exp($x / $a) - 1))", .flags = kFunction, .attributes = {{0.5, 2, 0.25}}}),
      elementwise(
          "hardshrink", "activation", "|x| > a ? x : 0", {.simple = 3},
          [](const Values& x, double a) -> Values { return where(x.abs() > a, x, 0.0); },
          {.dsl = "where(abs($x) > $a, $x, 0)", .flags = kStep | kExact | kFunction, .attributes = {{0.5, 1, 0.25}}}),
      elementwise("logsigmoid", "activation", "-ln(1 + exp(-x))", {.simple = 3, .slow = 2},
                  [](const Values& x) -> Values { return smaller(x, 0.0) - (-x.abs()).exp().log1p(); },
                  {.dsl = "-softplus(-$x)", .flags = kFunction}),
  };
}

}  // namespace kg::operators
