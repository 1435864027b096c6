#include "operators/families.h"
#include "operators/row.h"

namespace kg::operators {
namespace {

Values softmax(const Values& x) {
  const Values e = (x - spread(row_max(x), x.cols())).exp();
  return e / spread(row_sum(e), x.cols());
}

Values log_softmax(const Values& x) {
  const Values shifted = x - spread(row_max(x), x.cols());
  return shifted - spread(row_sum(shifted.exp()).log(), x.cols());
}

Values layer_norm(const Values& x, double epsilon) {
  const auto n = static_cast<double>(x.cols());
  const Values centred = x - spread(row_sum(x) / n, x.cols());
  const Values variance = row_sum(centred.square()) / n;
  return centred / spread((variance + epsilon).sqrt(), x.cols());
}

Values rms_norm(const Values& x, double epsilon) {
  const Values mean_square = row_sum(x.square()) / static_cast<double>(x.cols());
  return x / spread((mean_square + epsilon).sqrt(), x.cols());
}

Values min_max_normalise(const Values& x) {
  const Values least = x.rowwise().minCoeff();
  return (x - spread(least, x.cols())) / spread(row_max(x) - least, x.cols());
}

}  // namespace

std::vector<OperatorInfo> normalisation_operators() {
  return {
      rowwise("softmax", "normalisation", "softmax over each row of x", {.simple = 3, .slow = 2}, softmax,
              {.dsl = "$1 = exp($x - max($x)); $1 / sum($1)"}),
      rowwise("softmin", "normalisation", "softmax over each row of -x", {.simple = 4, .slow = 2},
              [](const Values& x) -> Values { return softmax(-x); }, {.dsl = "$1 = exp(min($x) - $x); $1 / sum($1)"}),
      rowwise("log_softmax", "normalisation", "ln of the softmax over each row of x", {.simple = 4, .slow = 2},
              log_softmax, {.dsl = "$1 = $x - max($x); $1 - log(sum(exp($1)))"}),
      rowwise("layer_norm", "normalisation", "(x - mean) / sqrt(variance + a) over each row of x", {.simple = 6},
              layer_norm, {.dsl = "$1 = $x - mean($x); $1 * rsqrt(mean($1 * $1) + $a)", .attributes = {{1e-5, 1e-3}}}),
      rowwise("rms_norm", "normalisation", "x / sqrt(mean(x * x) + a) over each row of x", {.simple = 4}, rms_norm,
              {.dsl = "$x * rsqrt(mean($x * $x) + $a)", .attributes = {{1e-5, 1e-3, 1e-6}}}),
      rowwise(
          "row_center", "normalisation", "x - mean of each row of x", {.simple = 2},
          [](const Values& x) -> Values { return x - spread(row_sum(x) / static_cast<double>(x.cols()), x.cols()); },
          {.dsl = "$x - mean($x)"}),
      rowwise("row_scale_max", "normalisation", "x / maximum of each row of x", {.simple = 2},
              [](const Values& x) -> Values { return x / spread(row_max(x), x.cols()); },
              {.dsl = "$x / max($x)", .flags = kPositive}),
      rowwise("l1_normalise", "normalisation", "x / sum of |x| of each row", {.simple = 3, .slow = 1},
              [](const Values& x) -> Values { return x / spread(row_sum(x.abs()), x.cols()); },
              {.dsl = "$x / sum(abs($x))"}),
      rowwise("l2_normalise", "normalisation", "x / sqrt(sum of x * x of each row + 1e-6)", {.simple = 3, .slow = 1},
              [](const Values& x) -> Values { return x / spread((row_sum(x.square()) + 1e-6).sqrt(), x.cols()); },
              {.dsl = "$x * rsqrt(sum($x * $x) + 1e-6)"}),
      rowwise("min_max_normalise", "normalisation", "(x - minimum) / (maximum - minimum) of each row",
              {.simple = 4, .slow = 1}, min_max_normalise, {.dsl = "$1 = min($x); ($x - $1) / (max($x) - $1)"}),
  };
}

}  // namespace kg::operators
