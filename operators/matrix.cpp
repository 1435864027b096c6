#include "operators/families.h"
#include "operators/row.h"

namespace kg::operators {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

OperatorInfo gather_rows(Word word) {
  return shaped(
      OperatorShape::kOther, "gather_rows", "index", {.tensors = 2}, "row y[k] of x for each k", {.simple = 1},
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
      },
      std::move(word));
}

OperatorInfo matmul(Word word) {
  return shaped(
      OperatorShape::kOther, "matmul", "matmul", {.tensors = 2}, "x times y, matrices", {.simple = 2},
      [](const Shapes& in, const Attributes&) -> std::optional<Shape> {
        if (in[0].size() != 2 || in[1].size() != 2 || in[0][1] != in[1][0]) return std::nullopt;
        return Shape{in[0][0], in[1][1]};
      },
      [](const Tensors& in, const Attributes&) -> Numbers {
        const Matrix product = rows_of(in[0]).matrix() * rows_of(in[1]).matrix();
        return {product.data(), product.data() + product.size()};
      },
      std::move(word));
}

// Not drawn by compositions directly: adds an axis to a value with one number per row where it is combined with rows.
OperatorInfo unsqueeze() {
  return shaped(
      OperatorShape::kOther, "unsqueeze", "broadcast", {}, "x with a last axis of 1", {},
      [](const Shapes& in, const Attributes&) -> std::optional<Shape> {
        Shape shape = in[0];
        shape.push_back(1);
        return shape;
      },
      [](const Tensors& in, const Attributes&) { return in[0].values; }, std::nullopt);
}

}  // namespace

std::vector<OperatorInfo> matrix_operators() {
  return {gather_rows({.flags = kExact}), matmul({.flags = kAccumulates}), unsqueeze()};
}

}  // namespace kg::operators
