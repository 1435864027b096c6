#include "operators/families.h"
#include "operators/row.h"
#include "proto/dtype.h"

namespace kg::operators {
namespace {

// To one number; two inputs have one shape.
template <typename F>
OperatorInfo to_one(const char* name, const char* category, const char* formula, Cost cost, F value, Word word) {
  using S = Signature<F>;
  return shaped(
      OperatorShape::kTotal, name, category, {S::kTensors, S::kConstants}, formula, cost,
      [](const Shapes& in, const Attributes&) -> std::optional<Shape> {
        for (const Shape& shape : in)
          if (shape != in[0] || proto::element_count(shape) == 0) return std::nullopt;
        return Shape{1};
      },
      [value](const Tensors& in, const Attributes& a) -> Numbers {
        std::vector<Values> values;
        for (const GoldenTensor& tensor : in) values.emplace_back(rows_of(tensor));
        return {evaluation(value, std::make_index_sequence<S::kTensors>(), std::make_index_sequence<S::kConstants>())(
            values, a)};
      },
      std::move(word));
}

double huber(const Values& x, const Values& y, double a) {
  const Values d = (x - y).abs(), e = d.min(a);
  return (e * (d - 0.5 * e)).mean();
}

}  // namespace

std::vector<OperatorInfo> total_operators() {
  return {
      to_one("sum_all", "reduction", "sum of all of x", {.simple = 1}, [](const Values& x) { return x.sum(); },
             {.dsl = "$x", .flags = kAccumulates}),
      to_one("mean_all", "reduction", "mean of all of x", {.simple = 1}, [](const Values& x) { return x.mean(); },
             {.dsl = "$x", .flags = kAccumulates | kMean}),
      to_one("max_all", "reduction", "maximum of all of x", {.simple = 1}, [](const Values& x) { return x.maxCoeff(); },
             {.flags = kExact}),
      to_one("min_all", "reduction", "minimum of all of x", {.simple = 1}, [](const Values& x) { return x.minCoeff(); },
             {.flags = kExact}),
      to_one("mse_loss", "loss", "mean of (x - y)^2 over all", {.simple = 3},
             [](const Values& x, const Values& y) { return (x - y).square().mean(); },
             {.dsl = "($x - $y) ** 2", .flags = kAccumulates | kMean}),
      to_one("l1_loss", "loss", "mean of |x - y| over all", {.simple = 3},
             [](const Values& x, const Values& y) { return (x - y).abs().mean(); },
             {.dsl = "abs($x - $y)", .flags = kAccumulates | kMean}),
      to_one("hinge_loss", "loss", "mean of max(1 - x * y, 0) over all", {.simple = 4},
             [](const Values& x, const Values& y) { return (1.0 - x * y).max(0.0).mean(); },
             {.dsl = "max(1 - $x * $y, 0)", .flags = kAccumulates | kMean}),
      to_one("kl_div_loss", "loss", "mean of y * (ln(y) - x) over all", {.simple = 3, .slow = 1},
             [](const Values& x, const Values& y) { return (y * (y.log() - x)).mean(); },
             {.dsl = "$y * (log($y) - $x)", .flags = kAccumulates | kMean | kPositive}),
      to_one("bce_logits_loss", "loss", "mean of max(x, 0) - x * y + ln(1 + exp(-|x|)) over all",
             {.simple = 6, .slow = 2},
             [](const Values& x, const Values& y) { return (x.max(0.0) - x * y + (-x.abs()).exp().log1p()).mean(); },
             {.dsl = "max($x, 0) - $x * $y + log(1 + exp(-abs($x)))", .flags = kAccumulates | kMean | kPositive}),
      to_one("soft_margin_loss", "loss", "mean of ln(1 + exp(-x * y)) over all", {.simple = 4, .slow = 2},
             [](const Values& x, const Values& y) { return (-x * y).exp().log1p().mean(); },
             {.dsl = "softplus(-($x * $y))", .flags = kAccumulates | kMean}),
      to_one("huber_loss", "loss", "mean over all of e * (d - e / 2), d = |x - y|, e = min(d, a)", {.simple = 6}, huber,
             {.dsl = "$1 = abs($x - $y); $2 = min($1, $a); $2 * ($1 - 0.5 * $2)",
              .flags = kAccumulates | kMean,
              .attributes = {{0.5, 1}}}),
  };
}

}  // namespace kg::operators
