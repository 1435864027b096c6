#include "operators/families.h"
#include "operators/row.h"

namespace kg::operators {
namespace {

Values variance(const Values& x) {
  const auto n = static_cast<double>(x.cols());
  return row_sum((x - spread(row_sum(x) / n, x.cols())).square()) / n;
}

Values logsumexp(const Values& x) {
  const Values most = row_max(x);
  return most + row_sum((x - spread(most, x.cols())).exp()).log();
}

// Its inputs are a row's numbers and an index for each row.
OperatorInfo pick(Word word) {
  return shaped(
      OperatorShape::kRowReduce, "pick", "index", {.tensors = 2}, "element y[r] of row r of x", {.simple = 1},
      [](const Shapes& in, const Attributes&) -> std::optional<Shape> {
        if (in[0].empty() || in[0].back() == 0) return std::nullopt;
        Shape shape = in[0];
        shape.pop_back();
        return shape == in[1] ? std::optional(shape) : std::nullopt;
      },
      [](const Tensors& in, const Attributes&) -> Numbers {
        const Values x = rows_of(in[0]);
        Numbers result;
        for (Eigen::Index r = 0; r < x.rows(); ++r)
          result.push_back(element(x, r, in[1].values[static_cast<std::size_t>(r)]));
        return result;
      },
      std::move(word));
}

}  // namespace

std::vector<OperatorInfo> row_reduction_operators() {
  return {
      row_reduce("reduce_sum", "reduction", "sum of each row of x", {.simple = 1},
                 [](const Values& x) -> Values { return row_sum(x); }, {.dsl = "sum($x)", .flags = kAccumulates}),
      row_reduce("reduce_mean", "reduction", "mean of each row of x", {.simple = 1},
                 [](const Values& x) -> Values { return row_sum(x) / static_cast<double>(x.cols()); },
                 {.dsl = "mean($x)", .flags = kAccumulates | kMean}),
      row_reduce("reduce_max", "reduction", "maximum of each row of x", {.simple = 1},
                 [](const Values& x) -> Values { return row_max(x); }, {.dsl = "max($x)", .flags = kExact}),
      row_reduce("reduce_min", "reduction", "minimum of each row of x", {.simple = 1},
                 [](const Values& x) -> Values { return x.rowwise().minCoeff(); }, {.dsl = "min($x)", .flags = kExact}),
      row_reduce("reduce_l1", "reduction", "sum of |x| of each row", {.simple = 2},
                 [](const Values& x) -> Values { return row_sum(x.abs()); },
                 {.dsl = "sum(abs($x))", .flags = kAccumulates}),
      row_reduce("reduce_l2", "reduction", "sqrt of the sum of x * x of each row", {.simple = 2},
                 [](const Values& x) -> Values { return row_sum(x.square()).sqrt(); },
                 {.dsl = "sqrt(sum($x * $x))", .flags = kAccumulates | kMean}),
      row_reduce("reduce_square_sum", "reduction", "sum of x * x of each row", {.simple = 2},
                 [](const Values& x) -> Values { return row_sum(x.square()); },
                 {.dsl = "sum($x * $x)", .flags = kAccumulates}),
      row_reduce("reduce_range", "reduction", "maximum - minimum of each row", {.simple = 2},
                 [](const Values& x) -> Values { return row_max(x) - x.rowwise().minCoeff(); },
                 {.dsl = "max($x) - min($x)"}),
      row_reduce("reduce_variance", "reduction", "variance of each row", {.simple = 4}, variance,
                 {.dsl = "$1 = $x - mean($x); mean($1 * $1)", .flags = kAccumulates | kMean}),
      row_reduce("logsumexp", "reduction", "ln of the sum of exp(x) of each row", {.simple = 3, .slow = 1}, logsumexp,
                 {.dsl = "$1 = max($x); $1 + log(sum(exp($x - $1)))"}),
      row_reduce("row_dot", "loss", "sum of x * y of each row", {.simple = 2},
                 [](const Values& x, const Values& y) -> Values { return row_sum(x * y); },
                 {.dsl = "sum($x * $y)", .flags = kAccumulates}),
      row_reduce("row_mse", "loss", "mean of (x - y)^2 of each row", {.simple = 3},
                 [](const Values& x, const Values& y) -> Values {
                   return row_sum((x - y).square()) / static_cast<double>(x.cols());
                 },
                 {.dsl = "mean(($x - $y) ** 2)", .flags = kAccumulates | kMean}),
      row_reduce("cosine_similarity", "loss", "sum(x * y) / sqrt(sum(x * x) * sum(y * y)) of each row", {.simple = 6},
                 [](const Values& x, const Values& y) -> Values {
                   return row_sum(x * y) / (row_sum(x.square()) * row_sum(y.square())).sqrt();
                 },
                 {.dsl = "sum($x * $y) * rsqrt(sum($x * $x) * sum($y * $y))"}),
      row_reduce(
          "row_cross_entropy", "loss", "-sum(y * log_softmax(x)) of each row", {.simple = 5, .slow = 1},
          [](const Values& x, const Values& y) -> Values { return -row_sum(y * (x - spread(logsumexp(x), x.cols()))); },
          {.dsl = "$1 = $x - max($x); $2 = log(sum(exp($1))); -sum($y * ($1 - $2))",
           .flags = kAccumulates | kPositive}),
      pick({.flags = kExact}),
  };
}

}  // namespace kg::operators
