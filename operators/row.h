#pragma once

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "operators/operators.h"

// Builders for the rows of the operator table.
namespace kg::operators {

// The parameters of an fp64 value function say how many tensors (const Values&) and constants (double) it takes.
template <typename F>
struct Signature : Signature<decltype(&F::operator())> {};
template <typename R, typename... P>
struct Signature<R (*)(P...)> {
  static constexpr int kTensors = (0 + ... + int{std::is_same_v<P, const Values&>});
  static constexpr int kConstants = (0 + ... + int{std::is_same_v<P, double>});
};
template <typename F, typename R, typename... P>
struct Signature<R (F::*)(P...) const> : Signature<R (*)(P...)> {};

template <typename F, std::size_t... T, std::size_t... C>
auto evaluation(F value, std::index_sequence<T...>, std::index_sequence<C...>) {
  return [value](const std::vector<Values>& inputs, [[maybe_unused]] const std::vector<double>& attributes) {
    return value(inputs[T]..., attributes[C]...);
  };
}

template <typename F>
OperatorInfo row(OperatorShape shape, const char* name, const char* category, const char* formula, Cost cost, F value,
                 Word word) {
  using S = Signature<F>;
  return {
      .name = name,
      .category = category,
      .arity = S::kTensors,
      .attribute_count = S::kConstants,
      .shape = shape,
      .formula = formula,
      .cost = cost,
      .evaluate = evaluation(value, std::make_index_sequence<S::kTensors>(), std::make_index_sequence<S::kConstants>()),
      .word = std::move(word)};
}

template <typename F>
OperatorInfo elementwise(const char* name, const char* category, const char* formula, Cost cost, F value, Word word) {
  return row(OperatorShape::kElementwise, name, category, formula, cost, value, std::move(word));
}
template <typename F>
OperatorInfo rowwise(const char* name, const char* category, const char* formula, Cost cost, F value, Word word) {
  return row(OperatorShape::kRowwise, name, category, formula, cost, value, std::move(word));
}
template <typename F>
OperatorInfo row_reduce(const char* name, const char* category, const char* formula, Cost cost, F value, Word word) {
  return row(OperatorShape::kRowReduce, name, category, formula, cost, value, std::move(word));
}

inline Values sigmoid(const Values& x) { return 1.0 / (1.0 + (-x).exp()); }

using Mask = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
inline Values constant(const Eigen::Index rows, const Eigen::Index columns, double value) {
  return Values::Constant(rows, columns, value);
}
inline Values where(const Mask& mask, const Values& yes, const Values& no) { return mask.select(yes, no); }
inline Values where(const Mask& mask, const Values& yes, double no) {
  return mask.select(yes, constant(mask.rows(), mask.cols(), no));
}
inline Values where(const Mask& mask, double yes, const Values& no) {
  return mask.select(constant(mask.rows(), mask.cols(), yes), no);
}
inline Values where(const Mask& mask, double yes, double no) {
  return where(mask, constant(mask.rows(), mask.cols(), yes), no);
}

// NaN in gives NaN out, as in the device's Max and Min.
inline Values larger(const Values& x, const Values& y) { return (x > y || x.isNaN()).select(x, y); }
inline Values larger(const Values& x, double a) { return larger(x, constant(x.rows(), x.cols(), a)); }
inline Values smaller(const Values& x, const Values& y) { return (x < y || x.isNaN()).select(x, y); }
inline Values smaller(const Values& x, double a) { return smaller(x, constant(x.rows(), x.cols(), a)); }

// Operators along rows.
inline Values row_sum(const Values& x) { return x.rowwise().sum(); }
inline Values row_max(const Values& x) { return x.rowwise().maxCoeff(); }
inline Values spread(const Values& column, Eigen::Index columns) { return column.replicate(1, columns); }

// Operators on whole tensors, with an inferred shape: nothing if the inputs do not fit.
using Shapes = std::vector<Shape>;
using Tensors = std::vector<GoldenTensor>;
using Attributes = std::vector<double>;
using Numbers = std::vector<double>;

struct Operands {
  int tensors = 1, constants = 0;
};

inline OperatorInfo shaped(OperatorShape shape, const char* name, const char* category, Operands operands,
                           const char* formula, Cost cost, decltype(OperatorInfo::infer) infer,
                           decltype(OperatorInfo::compute) compute, std::optional<Word> word) {
  return {.name = name,
          .category = category,
          .arity = operands.tensors,
          .attribute_count = operands.constants,
          .shape = shape,
          .formula = formula,
          .cost = cost,
          .word = std::move(word),
          .infer = std::move(infer),
          .compute = std::move(compute)};
}

inline Eigen::Map<const Values> rows_of(const GoldenTensor& tensor) {
  const std::int64_t columns = tensor.shape.empty() ? 1 : tensor.shape.back();
  return {tensor.values.data(), columns == 0 ? 0 : static_cast<std::int64_t>(tensor.values.size()) / columns, columns};
}
inline Numbers numbers(const Values& values) { return {values.data(), values.data() + values.size()}; }

// Indices in a graph are floating-point numbers: is this one of 0 .. extent - 1?
inline bool is_index(double value, std::int64_t extent) {
  return value >= 0 && value < static_cast<double>(extent) && value == std::floor(value);
}
// Element (row, column), or NaN if `column` is not a valid index.
inline double element(const Values& x, Eigen::Index row, double column) {
  return is_index(column, x.cols()) ? x(row, static_cast<Eigen::Index>(column))
                                    : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace kg::operators
