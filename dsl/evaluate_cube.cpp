#include <algorithm>

#include "dsl/evaluate.h"

// Statements of the cube cores, by their definition.
namespace kg::dsl {

void Evaluator::matrix(const Statement& statement) {
  const Expr& load = *statement.value;
  const Place from = place(statement.region, load.indices, statement.line, text_of(load));
  const Values& tensor = tensors_[static_cast<std::size_t>(from.tensor)];
  Value made{.length = length(statement.region.length), .rows = length(statement.region.rows)};
  for (std::int64_t row = 0; row < made.rows; ++row) {
    const auto begin = tensor.begin() + from.offset + row * statement.region.pitch;
    made.elements.insert(made.elements.end(), begin, begin + made.length);
  }
  set(statement.name, std::move(made));
}

void Evaluator::product(const Statement& statement) {
  Value made{.length = length(statement.type.length), .rows = length(statement.type.rows)};
  Values row(static_cast<std::size_t>(made.length), 0.0);
  if (statement.value->kind == Expr::Kind::kLoad) row = value(*statement.value).elements;
  for (std::int64_t i = 0; i < made.rows; ++i) made.elements.insert(made.elements.end(), row.begin(), row.end());
  set(statement.name, std::move(made));
}

Value Evaluator::operand(const Expr& expr) {
  if (expr.kind != Expr::Kind::kCall) return *find(expr.text);
  const Value& from = *find(expr.args[0]->text);
  Value made{.length = from.rows, .rows = from.length};
  for (std::int64_t i = 0; i < made.rows; ++i)
    for (std::int64_t j = 0; j < made.length; ++j)
      made.elements.push_back(from.elements[static_cast<std::size_t>(j * from.length + i)]);
  return made;
}

void Evaluator::gemm(const Statement& statement) {
  const Value a = operand(*statement.value->args[0]), b = operand(*statement.value->args[1]);
  Value& sums = *find(statement.name);
  for (std::int64_t i = 0; i < sums.rows; ++i)
    for (std::int64_t j = 0; j < sums.length; ++j) {
      double& sum = sums.elements[static_cast<std::size_t>(i * sums.length + j)];
      for (std::int64_t k = 0; k < a.length; ++k)
        sum += a.elements[static_cast<std::size_t>(i * a.length + k)] *
               b.elements[static_cast<std::size_t>(k * b.length + j)];
      sum = rounded_to(proto::FLOAT32, sum);
    }
}

void Evaluator::store_product(const Statement& statement) {
  const bool relu = statement.value->kind == Expr::Kind::kCall;
  const Value& sums = *find(relu ? statement.value->args[0]->text : statement.value->text);
  const Place to = place(statement.region, statement.indices, statement.line,
                         "store " + statement.name + text_of(statement.indices));
  Values& tensor = tensors_[static_cast<std::size_t>(to.tensor)];
  const proto::DType dtype = program_.program.parameters[static_cast<std::size_t>(to.tensor)].dtype;
  for (std::int64_t i = 0; i < sums.rows; ++i)
    for (std::int64_t j = 0; j < sums.length; ++j) {
      const double sum = sums.elements[static_cast<std::size_t>(i * sums.length + j)];
      tensor[static_cast<std::size_t>(to.offset + i * statement.region.pitch + j)] =
          rounded_to(dtype, relu ? std::max(sum, 0.0) : sum);
    }
}

}  // namespace kg::dsl
