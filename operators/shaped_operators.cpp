#include "operators/shaped_operators.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "proto/dtype.h"

namespace kg::operators {
namespace {

using Tensors = std::vector<GoldenTensor>;
using Attributes = std::vector<double>;
using Shapes = std::vector<Shape>;
using Numbers = std::vector<double>;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::int64_t last(const Shape& shape) { return shape.empty() ? 1 : shape.back(); }

Eigen::Map<const Values> rows_of(const GoldenTensor& tensor) {
  const std::int64_t columns = last(tensor.shape);
  return {tensor.values.data(), columns == 0 ? 0 : static_cast<std::int64_t>(tensor.values.size()) / columns, columns};
}

Numbers numbers(const Values& values) { return {values.data(), values.data() + values.size()}; }

OperatorInfo shaped(const char* name, const char* category, int arity, int attributes, const char* formula, int simple,
                    int slow, decltype(OperatorInfo::infer) infer, decltype(OperatorInfo::compute) compute) {
  return {.name = name,
          .category = category,
          .arity = arity,
          .attribute_count = attributes,
          .shape = OperatorShape::kShaped,
          .formula = formula,
          .simple_instructions = simple,
          .slow_instructions = slow,
          .evaluate = {},
          .infer = std::move(infer),
          .compute = std::move(compute)};
}

// To one number; two inputs have one shape.
OperatorInfo to_one(const char* name, const char* category, int arity, const char* formula, int simple, int slow,
                    double (*value)(const std::vector<Values>&, const Attributes&), int attributes = 0) {
  return shaped(
      name, category, arity, attributes, formula, simple, slow,
      [](const Shapes& in, const Attributes&) -> std::optional<Shape> {
        for (const Shape& shape : in)
          if (shape != in[0] || proto::element_count(shape) == 0) return std::nullopt;
        return Shape{1};
      },
      [value](const Tensors& in, const Attributes& a) -> Numbers {
        std::vector<Values> values;
        for (const GoldenTensor& tensor : in) values.emplace_back(rows_of(tensor));
        return {value(values, a)};
      });
}

// (..., m, n) -> (..., n).
OperatorInfo along_columns(const char* name, const char* formula, Values (*value)(const Values&)) {
  return shaped(
      name, "reduction", 1, 0, formula, 1, 0,
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
      });
}

// Windows of `a` elements every `b` along the last axis.
OperatorInfo pool(const char* name, const char* formula, double (*value)(const Eigen::Ref<const Values>&)) {
  return shaped(
      name, "pooling", 1, 2, formula, 2, 0,
      [](const Shapes& in, const Attributes& a) -> std::optional<Shape> {
        const auto window = static_cast<std::int64_t>(a[0]), stride = static_cast<std::int64_t>(a[1]);
        if (in[0].empty() || window < 1 || stride < 1 || in[0].back() < window) return std::nullopt;
        Shape shape = in[0];
        shape.back() = (shape.back() - window) / stride + 1;
        return shape;
      },
      [value](const Tensors& in, const Attributes& a) -> Numbers {
        const Values x = rows_of(in[0]);
        const auto window = static_cast<std::int64_t>(a[0]), stride = static_cast<std::int64_t>(a[1]);
        Numbers result;
        for (Eigen::Index r = 0; r < x.rows(); ++r)
          for (Eigen::Index c = 0; c + window <= x.cols(); c += stride)
            result.push_back(value(x.block(r, c, 1, window)));
        return result;
      });
}

bool is_index(double value, std::int64_t extent) {
  return value >= 0 && value < static_cast<double>(extent) && value == std::floor(value);
}

OperatorInfo unsqueeze() {
  return shaped(
      "unsqueeze", "broadcast", 1, 0, "x with a last axis of 1", 0, 0,
      [](const Shapes& in, const Attributes&) -> std::optional<Shape> {
        Shape shape = in[0];
        shape.push_back(1);
        return shape;
      },
      [](const Tensors& in, const Attributes&) { return in[0].values; });
}

OperatorInfo slice() {
  return shaped(
      "slice", "index", 1, 2, "elements a to a + b - 1 of each row of x", 1, 0,
      [](const Shapes& in, const Attributes& a) -> std::optional<Shape> {
        if (in[0].empty() || a[0] < 0 || a[1] < 1 || a[0] + a[1] > static_cast<double>(in[0].back()))
          return std::nullopt;
        Shape shape = in[0];
        shape.back() = static_cast<std::int64_t>(a[1]);
        return shape;
      },
      [](const Tensors& in, const Attributes& a) -> Numbers {
        return numbers(rows_of(in[0]).middleCols(static_cast<Eigen::Index>(a[0]), static_cast<Eigen::Index>(a[1])));
      });
}

OperatorInfo stride_slice() {
  return shaped(
      "stride_slice", "index", 1, 1, "every a-th element of each row of x", 1, 0,
      [](const Shapes& in, const Attributes& a) -> std::optional<Shape> {
        if (in[0].empty() || a[0] < 1 || in[0].back() < 1) return std::nullopt;
        Shape shape = in[0];
        shape.back() = (shape.back() - 1) / static_cast<std::int64_t>(a[0]) + 1;
        return shape;
      },
      [](const Tensors& in, const Attributes& a) -> Numbers {
        const Values x = rows_of(in[0]);
        Numbers result;
        for (Eigen::Index r = 0; r < x.rows(); ++r)
          for (Eigen::Index c = 0; c < x.cols(); c += static_cast<Eigen::Index>(a[0])) result.push_back(x(r, c));
        return result;
      });
}

OperatorInfo gather_rows() {
  return shaped(
      "gather_rows", "index", 2, 0, "row y[k] of x for each k", 1, 0,
      [](const Shapes& in, const Attributes&) -> std::optional<Shape> {
        if (in[0].size() != 2 || in[1].size() != 1) return std::nullopt;
        return Shape{in[1][0], in[0][1]};
      },
      [](const Tensors& in, const Attributes&) -> Numbers {
        const Values x = rows_of(in[0]);
        Numbers result;
        for (const double index : in[1].values)
          for (Eigen::Index c = 0; c < x.cols(); ++c)
            result.push_back(is_index(index, x.rows()) ? x(static_cast<Eigen::Index>(index), c)
                                                       : std::numeric_limits<double>::quiet_NaN());
        return result;
      });
}

OperatorInfo take() {
  return shaped(
      "take", "index", 2, 0, "element y[k] of each row of x, for each k", 1, 0,
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
          for (const double index : in[1].values)
            result.push_back(is_index(index, x.cols()) ? x(r, static_cast<Eigen::Index>(index))
                                                       : std::numeric_limits<double>::quiet_NaN());
        return result;
      });
}

OperatorInfo pick() {
  return shaped(
      "pick", "index", 2, 0, "element y[r] of row r of x", 1, 0,
      [](const Shapes& in, const Attributes&) -> std::optional<Shape> {
        if (in[0].empty() || in[0].back() == 0) return std::nullopt;
        Shape shape = in[0];
        shape.pop_back();
        return shape == in[1] ? std::optional(shape) : std::nullopt;
      },
      [](const Tensors& in, const Attributes&) -> Numbers {
        const Values x = rows_of(in[0]);
        Numbers result;
        for (Eigen::Index r = 0; r < x.rows(); ++r) {
          const double index = in[1].values[static_cast<std::size_t>(r)];
          result.push_back(is_index(index, x.cols()) ? x(r, static_cast<Eigen::Index>(index))
                                                     : std::numeric_limits<double>::quiet_NaN());
        }
        return result;
      });
}

OperatorInfo matmul() {
  return shaped(
      "matmul", "matmul", 2, 0, "x times y, matrices", 2, 0,
      [](const Shapes& in, const Attributes&) -> std::optional<Shape> {
        if (in[0].size() != 2 || in[1].size() != 2 || in[0][1] != in[1][0]) return std::nullopt;
        return Shape{in[0][0], in[1][1]};
      },
      [](const Tensors& in, const Attributes&) -> Numbers {
        const Matrix product = rows_of(in[0]).matrix() * rows_of(in[1]).matrix();
        return {product.data(), product.data() + product.size()};
      });
}

Values at_most(const Values& x, double bound) { return x.min(bound); }

}  // namespace

std::vector<OperatorInfo> shaped_operators() {
  using In = std::vector<Values>;
  // clang-format off
  return {
    unsqueeze(), slice(), stride_slice(), gather_rows(), take(), pick(), matmul(),
    to_one("sum_all", "reduction", 1, "sum of all of x", 1, 0, [](const In& in, const Attributes&) { return in[0].sum(); }),
    to_one("mean_all", "reduction", 1, "mean of all of x", 1, 0, [](const In& in, const Attributes&) { return in[0].mean(); }),
    to_one("max_all", "reduction", 1, "maximum of all of x", 1, 0, [](const In& in, const Attributes&) { return in[0].maxCoeff(); }),
    to_one("min_all", "reduction", 1, "minimum of all of x", 1, 0, [](const In& in, const Attributes&) { return in[0].minCoeff(); }),
    to_one("mse_loss", "loss", 2, "mean of (x - y)^2 over all", 3, 0, [](const In& in, const Attributes&) { return (in[0] - in[1]).square().mean(); }),
    to_one("l1_loss", "loss", 2, "mean of |x - y| over all", 3, 0, [](const In& in, const Attributes&) { return (in[0] - in[1]).abs().mean(); }),
    to_one("hinge_loss", "loss", 2, "mean of max(1 - x * y, 0) over all", 4, 0, [](const In& in, const Attributes&) { return (1.0 - in[0] * in[1]).max(0.0).mean(); }),
    to_one("kl_div_loss", "loss", 2, "mean of y * (ln(y) - x) over all", 3, 1, [](const In& in, const Attributes&) { return (in[1] * (in[1].log() - in[0])).mean(); }),
    to_one("bce_logits_loss", "loss", 2, "mean of max(x, 0) - x * y + ln(1 + exp(-|x|)) over all", 6, 2, [](const In& in, const Attributes&) { return (in[0].max(0.0) - in[0] * in[1] + (-in[0].abs()).exp().log1p()).mean(); }),
    to_one("soft_margin_loss", "loss", 2, "mean of ln(1 + exp(-x * y)) over all", 4, 2, [](const In& in, const Attributes&) { return (-in[0] * in[1]).exp().log1p().mean(); }),
    to_one("huber_loss", "loss", 2, "mean over all of e * (d - e / 2), d = |x - y|, e = min(d, a)", 6, 0, [](const In& in, const Attributes& a) {
      const Values d = (in[0] - in[1]).abs(), e = at_most(d, a[0]);
      return (e * (d - 0.5 * e)).mean(); }, 1),
    along_columns("col_sum", "sum over the last axis but one", [](const Values& x) -> Values { return x.colwise().sum(); }),
    along_columns("col_mean", "mean over the last axis but one", [](const Values& x) -> Values { return x.colwise().mean(); }),
    along_columns("col_max", "maximum over the last axis but one", [](const Values& x) -> Values { return x.colwise().maxCoeff(); }),
    along_columns("col_min", "minimum over the last axis but one", [](const Values& x) -> Values { return x.colwise().minCoeff(); }),
    pool("max_pool", "maximum of windows of a, every b, along the last axis", [](const Eigen::Ref<const Values>& x) { return x.maxCoeff(); }),
    pool("avg_pool", "mean of windows of a, every b, along the last axis", [](const Eigen::Ref<const Values>& x) { return x.mean(); }),
    pool("min_pool", "minimum of windows of a, every b, along the last axis", [](const Eigen::Ref<const Values>& x) { return x.minCoeff(); }),
  };
  // clang-format on
}

}  // namespace kg::operators
