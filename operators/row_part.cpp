#include "operators/families.h"
#include "operators/row.h"

namespace kg::operators {
namespace {

std::int64_t whole(double attribute) { return static_cast<std::int64_t>(attribute); }

// Windows of `a` elements every `b` along the last axis.
template <typename F>
OperatorInfo pool(const char* name, const char* formula, F value, Word word) {
  return shaped(
      OperatorShape::kRowPart, name, "pooling", {.constants = 2}, formula, {.simple = 2},
      [](const Shapes& in, const Attributes& a) -> std::optional<Shape> {
        const std::int64_t window = whole(a[0]), stride = whole(a[1]);
        if (in[0].empty() || window < 1 || stride < 1 || in[0].back() < window) return std::nullopt;
        Shape shape = in[0];
        shape.back() = (shape.back() - window) / stride + 1;
        return shape;
      },
      [value](const Tensors& in, const Attributes& a) -> Numbers {
        const Values x = rows_of(in[0]);
        Numbers result;
        for (Eigen::Index r = 0; r < x.rows(); ++r)
          for (Eigen::Index c = 0; c + whole(a[0]) <= x.cols(); c += whole(a[1]))
            result.push_back(value(x.block(r, c, 1, whole(a[0]))));
        return result;
      },
      std::move(word));
}

OperatorInfo slice(Word word) {
  return shaped(
      OperatorShape::kRowPart, "slice", "index", {.constants = 2}, "elements a to a + b - 1 of each row of x",
      {.simple = 1},
      [](const Shapes& in, const Attributes& a) -> std::optional<Shape> {
        if (in[0].empty() || a[0] < 0 || a[1] < 1 || a[0] + a[1] > static_cast<double>(in[0].back()))
          return std::nullopt;
        Shape shape = in[0];
        shape.back() = whole(a[1]);
        return shape;
      },
      [](const Tensors& in, const Attributes& a) -> Numbers {
        return numbers(rows_of(in[0]).middleCols(whole(a[0]), whole(a[1])));
      },
      std::move(word));
}

OperatorInfo stride_slice(Word word) {
  return shaped(
      OperatorShape::kRowPart, "stride_slice", "index", {.constants = 1}, "every a-th element of each row of x",
      {.simple = 1},
      [](const Shapes& in, const Attributes& a) -> std::optional<Shape> {
        if (in[0].empty() || a[0] < 1 || in[0].back() < 1) return std::nullopt;
        Shape shape = in[0];
        shape.back() = (shape.back() - 1) / whole(a[0]) + 1;
        return shape;
      },
      [](const Tensors& in, const Attributes& a) -> Numbers {
        const Values x = rows_of(in[0]);
        Numbers result;
        for (Eigen::Index r = 0; r < x.rows(); ++r)
          for (Eigen::Index c = 0; c < x.cols(); c += whole(a[0])) result.push_back(x(r, c));
        return result;
      },
      std::move(word));
}

OperatorInfo take(Word word) {
  return shaped(
      OperatorShape::kRowPart, "take", "index", {.tensors = 2}, "element y[k] of each row of x, for each k",
      {.simple = 1},
      [](const Shapes& in, const Attributes&) -> std::optional<Shape> {
        if (in[0].empty() || in[1].size() != 1) return std::nullopt;
        Shape shape = in[0];
        shape.back() = in[1][0];
        return shape;
      },
      [](const Tensors& in, const Attributes&) -> Numbers {
        const Values x = rows_of(in[0]);
        Numbers result;
        for (Eigen::Index r = 0; r < x.rows(); ++r)
          for (const double index : in[1].values) result.push_back(element(x, r, index));
        return result;
      },
      std::move(word));
}

}  // namespace

std::vector<OperatorInfo> row_part_operators() {
  using Window = const Eigen::Ref<const Values>&;
  return {
      pool("max_pool", "maximum of windows of a, every b, along the last axis", [](Window x) { return x.maxCoeff(); },
           {.flags = kExact, .attributes = {{2, 3}, {1, 2, 3}}}),
      pool("min_pool", "minimum of windows of a, every b, along the last axis", [](Window x) { return x.minCoeff(); },
           {.flags = kExact, .attributes = {{2, 3}, {1, 2}}}),
      pool("avg_pool", "mean of windows of a, every b, along the last axis", [](Window x) { return x.mean(); },
           {.attributes = {{2, 3, 4}, {1, 2}}}),
      slice({.flags = kExact, .attributes = {{0, 3, 8}, {5, 16, 33}}}),
      stride_slice({.dsl = "$x[::$a]", .flags = kExact, .attributes = {{2, 3, 4}}}),
      take({.flags = kExact}),
  };
}

}  // namespace kg::operators
