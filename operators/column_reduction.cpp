#include "operators/families.h"
#include "operators/row.h"

namespace kg::operators {
namespace {

// (..., m, n) -> (..., n).
template <typename F>
OperatorInfo along_columns(const char* name, const char* formula, F value, Word word) {
  return shaped(
      OperatorShape::kColumnReduce, name, "reduction", {}, formula, {.simple = 1},
      [](const Shapes& in, const Attributes&) -> std::optional<Shape> {
        if (in[0].size() < 2 || in[0][in[0].size() - 2] == 0) return std::nullopt;
        Shape shape = in[0];
        shape.erase(shape.end() - 2);
        return shape;
      },
      [value](const Tensors& in, const Attributes&) -> Numbers {
        const Shape& shape = in[0].shape;
        const std::int64_t m = shape[shape.size() - 2], n = shape.back();
        Numbers result;
        for (std::size_t at = 0; at < in[0].values.size(); at += static_cast<std::size_t>(m * n)) {
          const Numbers one = numbers(value(Eigen::Map<const Values>(in[0].values.data() + at, m, n)));
          result.insert(result.end(), one.begin(), one.end());
        }
        return result;
      },
      std::move(word));
}

}  // namespace

std::vector<OperatorInfo> column_reduction_operators() {
  return {
      along_columns("col_sum", "sum over the last axis but one",
                    [](const Values& x) -> Values { return x.colwise().sum(); }, {.flags = kAccumulates}),
      along_columns("col_mean", "mean over the last axis but one",
                    [](const Values& x) -> Values { return x.colwise().mean(); }, {.flags = kAccumulates | kMean}),
      along_columns("col_max", "maximum over the last axis but one",
                    [](const Values& x) -> Values { return x.colwise().maxCoeff(); }, {.flags = kExact}),
      along_columns("col_min", "minimum over the last axis but one",
                    [](const Values& x) -> Values { return x.colwise().minCoeff(); }, {.flags = kExact}),
  };
}

}  // namespace kg::operators
