#include <cmath>
#include <numbers>

#include "operators/families.h"
#include "operators/row.h"

namespace kg::operators {
namespace {

Values gelu_tanh(const Values& x) {
  return 0.5 * x * (1.0 + (std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x.cube())).tanh());
}

}  // namespace

std::vector<OperatorInfo> activation_operators() {
  return {
      elementwise("relu", "activation", "max(x, 0)", {.simple = 1},
                  [](const Values& x) -> Values { return larger(x, 0.0); },
                  {.dsl = "relu($x)", .flags = kExact | kWhole, .dsl_whole = "max($x, 0)"}),
      elementwise("leaky_relu", "activation", "x > 0 ? x : a * x", {.simple = 1},
                  [](const Values& x, double a) -> Values { return where(x > 0.0, x, x * a); },
                  {.dsl = "leaky_relu($x, $a)", .attributes = {{0.125, 0.25, 0.0625, 0.5}}}),
      elementwise("sigmoid", "activation", "1 / (1 + exp(-x))", {.simple = 2, .slow = 2}, sigmoid,
                  {.dsl = "sigmoid($x)"}),
      elementwise("tanh", "activation", "tanh(x)", {.simple = 3, .slow = 2},
                  [](const Values& x) -> Values { return x.tanh(); }, {.dsl = "tanh($x)"}),
      elementwise("silu", "activation", "x / (1 + exp(-x))", {.simple = 2, .slow = 2},
                  [](const Values& x) -> Values { return x * sigmoid(x); }, {.dsl = "silu($x)"}),
      elementwise("gelu", "activation", "0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))",
                  {.simple = 7, .slow = 2}, gelu_tanh, {.dsl = "gelu($x)"}),
      elementwise("softplus", "activation", "ln(1 + exp(x))", {.simple = 1, .slow = 2},
                  [](const Values& x) -> Values { return larger(x, 0.0) + (-x.abs()).exp().log1p(); },
                  {.dsl = "softplus($x)"}),
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
