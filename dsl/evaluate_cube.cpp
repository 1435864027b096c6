#include "dsl/evaluate_cube.h"

#include <algorithm>

namespace kg::dsl {
namespace {

// p, or transpose(p).
Value operand(Evaluator& core, const Expr& expr) {
  if (expr.kind != Expr::Kind::kCall) return *core.find(expr.text);
  const Value& from = *core.find(expr.args[0]->text);
  Value made{.length = from.rows, .rows = from.length};
  for (std::int64_t i = 0; i < made.rows; ++i)
    for (std::int64_t j = 0; j < made.length; ++j)
      made.elements.push_back(from.elements[static_cast<std::size_t>(j * from.length + i)]);
  return made;
}

}  // namespace

void load_matrix(Evaluator& core, const Statement& statement) {
  const Expr& load = *statement.value;
  const Place from = core.place(statement.region, load.indices, statement.line, text_of(load));
  const Values& tensor = core.tensor(from);
  Value made{.length = core.length(statement.region.length), .rows = core.length(statement.region.rows)};
  for (std::int64_t row = 0; row < made.rows; ++row) {
    const auto begin = tensor.begin() + from.offset + row * statement.region.pitch;
    made.elements.insert(made.elements.end(), begin, begin + made.length);
  }
  core.set(statement.name, std::move(made));
}

void begin_sums(Evaluator& core, const Statement& statement) {
  Value made{.length = core.length(statement.type.length), .rows = core.length(statement.type.rows)};
  Values row(static_cast<std::size_t>(made.length), 0.0);
  if (statement.value->kind == Expr::Kind::kLoad) row = core.value(*statement.value).elements;
  for (std::int64_t i = 0; i < made.rows; ++i) made.elements.insert(made.elements.end(), row.begin(), row.end());
  core.set(statement.name, std::move(made));
}

void add_product(Evaluator& core, const Statement& statement) {
  const Value a = operand(core, *statement.value->args[0]), b = operand(core, *statement.value->args[1]);
  Value& sums = *core.find(statement.name);
  for (std::int64_t i = 0; i < sums.rows; ++i)
    for (std::int64_t j = 0; j < sums.length; ++j) {
      double& sum = sums.elements[static_cast<std::size_t>(i * sums.length + j)];
      for (std::int64_t k = 0; k < a.length; ++k)
        sum += a.elements[static_cast<std::size_t>(i * a.length + k)] *
               b.elements[static_cast<std::size_t>(k * b.length + j)];
      sum = rounded_to(proto::FLOAT32, sum);
    }
}

void store_sums(Evaluator& core, const Statement& statement) {
  const bool relu = statement.value->kind == Expr::Kind::kCall;
  const Value& sums = *core.find(relu ? statement.value->args[0]->text : statement.value->text);
  const Place to = core.place(statement.region, statement.indices, statement.line,
                              "store " + statement.name + text_of(statement.indices));
  Values& tensor = core.tensor(to);
  const proto::DType dtype = core.parameter(to).dtype;
  for (std::int64_t i = 0; i < sums.rows; ++i)
    for (std::int64_t j = 0; j < sums.length; ++j) {
      const double sum = sums.elements[static_cast<std::size_t>(i * sums.length + j)];
      tensor[static_cast<std::size_t>(to.offset + i * statement.region.pitch + j)] =
          rounded_to(dtype, relu ? std::max(sum, 0.0) : sum);
    }
}

}  // namespace kg::dsl
