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
  };
}

}  // namespace kg::operators
