#include "dsl/evaluate.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/check.h"
#include "dsl/functions.h"
#include "dsl/refusal.h"
#include "operators/operators.h"

namespace kg::dsl {
namespace {

double type_rounded(const Type& type, double value) {
  if (type.kind == Type::Kind::kFloat) return rounded_to(proto::FLOAT32, value);
  if (type.kind == Type::Kind::kTile) return rounded_to(type.dtype, value);
  return value;
}

// The operator's value in fp64. A number beside a tile counts for all its elements.
Value operator_value(const Expr& expr, const operators::OperatorInfo& op, const std::vector<Value>& args) {
  std::size_t count = 1;
  for (const Value& arg : args) count = std::max(count, arg.elements.size());
  std::vector<operators::Values> inputs;
  std::vector<double> attributes;
  for (const Value& arg : args)
    if (inputs.size() == static_cast<std::size_t>(op.arity))
      attributes.push_back(arg.number);
    else if (arg.elements.empty())
      inputs.push_back(operators::Values::Constant(1, static_cast<Eigen::Index>(count), arg.number));
    else
      inputs.push_back(Eigen::Map<const operators::Values>(arg.elements.data(), 1, static_cast<Eigen::Index>(count)));
  const operators::Values made = op.evaluate(inputs, attributes);
  if (expr.type.is_scalar()) return {.number = type_rounded(expr.type, made(0, 0))};
  Value result;
  for (Eigen::Index i = 0; i < made.size(); ++i) result.elements.push_back(type_rounded(expr.type, made(0, i)));
  return result;
}

double operated(const std::string& op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/") return a / b;
  if (op == "//") return static_cast<double>(static_cast<std::int64_t>(a) / static_cast<std::int64_t>(b));
  if (op == "%") return static_cast<double>(static_cast<std::int64_t>(a) % static_cast<std::int64_t>(b));
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "and" || op == "&") return a != 0 && b != 0;
  return a != 0 || b != 0;
}

}  // namespace

Evaluator::Evaluator(const Checked& program, std::vector<Values>& tensors, int core)
    : program_(program), tensors_(tensors), core_(core) {
  for (const auto& [name, extent] : program.extents) set(name, {.number = static_cast<double>(extent)});
  set("program_id", {.number = static_cast<double>(core)});
  set("num_programs", {.number = static_cast<double>(program.cores)});
}

Value* Evaluator::find(const std::string& name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->find(name); found != scope->end()) return &found->second;
  return nullptr;
}

std::int64_t Evaluator::length(const Length& length) {
  return length.constant + (length.factor == 0 ? 0 : length.factor * find(length.range)->length);
}

template <typename F>
Value Evaluator::each(const Expr& expr, const std::vector<Value>& args, const F& f, std::size_t first) {
  std::size_t count = 0;
  for (std::size_t i = first; i < args.size(); ++i) count = std::max(count, args[i].elements.size());
  std::vector<double> numbers(args.size());
  for (std::size_t i = 0; i < args.size(); ++i) numbers[i] = args[i].number;
  if (count == 0) return {.number = type_rounded(expr.type, f(numbers))};
  Value result;
  result.elements.resize(count);
  for (std::size_t n = 0; n < count; ++n) {
    for (std::size_t i = 0; i < args.size(); ++i)
      if (!args[i].elements.empty()) numbers[i] = args[i].elements[n];
    result.elements[n] = type_rounded(expr.type, f(numbers));
  }
  return result;
}

Value Evaluator::value(const Expr& expr) {
  switch (expr.kind) {
    case Expr::Kind::kNumber:
      return {.number = expr.type.kind == Type::Kind::kFloat ? rounded_to(proto::FLOAT32, expr.number) : expr.number};
    case Expr::Kind::kName:
      return *find(expr.text);
    case Expr::Kind::kUnary: {
      const bool negates = expr.text == "-";
      return each(expr, {value(*expr.args[0])}, [&](const std::vector<double>& x) {
        return negates ? -x[0] : x[0] == 0 ? 1.0 : 0.0;
      });
    }
    case Expr::Kind::kBinary:
      return binary(expr);
    case Expr::Kind::kCall:
      return call(expr);
    case Expr::Kind::kLoad:
      return load(expr);
    case Expr::Kind::kElement:
      return element(expr);
  }
  return {};
}

Value Evaluator::binary(const Expr& expr) {
  const Value a = value(*expr.args[0]);
  if (expr.text == "**") {
    const double n = expr.args[1]->number;
    return each(expr, {a}, [&](const std::vector<double>& x) { return std::pow(x[0], n); });
  }
  const Value b = value(*expr.args[1]);
  if (expr.type.kind == Type::Kind::kRange) {
    Value moved{.number = operated(expr.text, a.number, b.number)};
    moved.length = std::max(a.length, b.length);
    return moved;
  }
  return each(expr, {a, b}, [&](const std::vector<double>& x) { return operated(expr.text, x[0], x[1]); });
}

Place Evaluator::place(const Region& region, const std::vector<Index>& indices, int line, const std::string& text) {
  const Parameter& parameter = program_.program.parameters[static_cast<std::size_t>(region.tensor)];
  std::vector<std::int64_t> extents(parameter.shape.begin(),
                                    parameter.shape.begin() + static_cast<std::ptrdiff_t>(indices.size()));
  for (std::size_t d = indices.size(); d < parameter.shape.size(); ++d) extents.back() *= parameter.shape[d];
  Place place{.tensor = region.tensor};
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const std::int64_t at = indices[d].at ? whole(*indices[d].at) : 0;
    place.offset = place.offset * extents[d] + at;
    if (d == region.vector) place.start = at;
  }
  place.length = region.element ? 1 : length(region.length);
  place.extent = region.extent;
  std::int64_t elements = 1;
  for (const std::int64_t extent : parameter.shape) elements *= extent;
  if (!region.padded && (place.offset < 0 || place.offset + place.length > elements))
    throw Refusal(line, text, "the access reaches outside of " + parameter.name);
  return place;
}

Value Evaluator::load(const Expr& expr) {
  const Place from = place(expr.region, expr.indices, expr.line, text_of(expr));
  const Values& tensor = tensors_[static_cast<std::size_t>(from.tensor)];
  if (expr.region.element) {
    const double number = tensor[static_cast<std::size_t>(from.offset)];
    return {.number = expr.type.kind == Type::Kind::kFloat ? rounded_to(proto::FLOAT32, number) : number};
  }
  Value result;
  result.elements.resize(static_cast<std::size_t>(from.length));
  const double pad = expr.pad ? value(*expr.pad).number : 0;
  for (std::int64_t i = 0; i < from.length; ++i) {
    const bool outside = expr.region.padded && (from.start + i < 0 || from.start + i >= from.extent);
    result.elements[static_cast<std::size_t>(i)] =
        type_rounded(expr.type, outside ? pad : tensor[static_cast<std::size_t>(from.offset + i)]);
  }
  return result;
}

Value Evaluator::element(const Expr& expr) {
  const Value from = value(*expr.args[0]);
  const auto count = static_cast<std::int64_t>(from.elements.size());
  if (!expr.indices[0].slice) {
    const std::int64_t index = whole(*expr.indices[0].at);
    if (index < 0 || index >= count)
      throw Refusal(expr.line, text_of(expr), "the index " + std::to_string(index) + " is outside of the tile");
    return {.number = from.elements[static_cast<std::size_t>(index)]};
  }
  const std::int64_t start = expr.indices[0].at ? whole(*expr.indices[0].at) : 0;
  if (start < 0 || start + (expr.region.length.constant - 1) * expr.region.extent >= count)
    throw Refusal(expr.line, text_of(expr), "the slice reaches outside of the tile");
  Value result;
  for (std::int64_t i = 0; i < expr.region.length.constant; ++i)
    result.elements.push_back(from.elements.at(static_cast<std::size_t>(start + i * expr.region.extent)));
  return result;
}

Value Evaluator::call(const Expr& expr) {
  if (const auto known = combined.find(&expr); known != combined.end()) return {.number = known->second};
  if (expr.text == "size") return {.number = expr.number};
  const Function* function = find_function(expr.text, expr.args.size());
  std::vector<Value> args;
  for (const ExprPtr& arg : expr.args) args.push_back(value(*arg));
  switch (function->kind) {
    case Function::Kind::kElementwise:
    case Function::Kind::kPair:
      if (function->op == nullptr)
        return each(expr, args, [](const std::vector<double>& x) { return rounded_to(proto::BFLOAT16, x[0]); });
      return operator_value(expr, *function->op, args);
    case Function::Kind::kReduce: {
      const Values& x = args[0].elements;
      if (expr.text == "max") return {.number = *std::max_element(x.begin(), x.end())};
      if (expr.text == "min") return {.number = *std::min_element(x.begin(), x.end())};
      double sum = 0;
      for (const double each : x) sum += each;
      sum = rounded_to(proto::FLOAT32, sum);
      return {.number = expr.text == "mean" ? rounded_to(proto::FLOAT32, sum / static_cast<double>(x.size())) : sum};
    }
    case Function::Kind::kScan: {
      Value result = args[0];
      if (expr.text == "flip") std::reverse(result.elements.begin(), result.elements.end());
      double running = expr.text == "cumprod" ? 1 : 0;
      if (expr.text != "flip")
        for (double& each : result.elements) {
          running = expr.text == "cumprod" ? running * each : running + each;
          each = rounded_to(proto::FLOAT32, running);
        }
      return result;
    }
    case Function::Kind::kCast: {
      const bool truncates =
          expr.type.kind == Type::Kind::kInt || expr.type.dtype == proto::INT32 || expr.type.dtype == proto::INT16;
      const bool half = expr.text == "half";
      return each(expr, args, [&](const std::vector<double>& x) {
        return truncates ? std::trunc(x[0]) : half ? rounded_to(proto::FLOAT16, x[0]) : x[0];
      });
    }
    default:
      return call_other(expr);
  }
}

Value Evaluator::call_other(const Expr& expr) {
  std::vector<Value> args;
  for (const ExprPtr& arg : expr.args) args.push_back(value(*arg));
  if (expr.text == "where")
    return each(expr, args, [](const std::vector<double>& x) { return x[0] != 0 ? x[1] : x[2]; });
  if (expr.text == "len") {
    if (expr.args[0]->type.kind == Type::Kind::kRange) return {.number = static_cast<double>(args[0].length)};
    return {.number = static_cast<double>(args[0].elements.size())};
  }
  if (expr.text == "start") return {.number = args[0].number};
  Value result;
  if (expr.text == "gather") {
    for (const double index : args[1].elements) {
      if (index < 0 || index >= static_cast<double>(args[0].elements.size()))
        throw Refusal(expr.line, text_of(expr), "an index is outside of the tile");
      result.elements.push_back(args[0].elements[static_cast<std::size_t>(index)]);
    }
    return result;
  }
  const auto count = static_cast<std::size_t>(length(expr.type.length));
  for (std::size_t i = 0; i < count; ++i)
    result.elements.push_back(expr.text == "arange" ? static_cast<double>(i)
                              : expr.text == "full" ? type_rounded(expr.type, args[1].number)
                                                    : 0);
  return result;
}

void Evaluator::assign(const Statement& statement) {
  Value made = value(*statement.value);
  if (statement.type.is_tile() && made.elements.empty())
    made.elements.assign(static_cast<std::size_t>(length(statement.type.length)),
                         rounded_to(statement.type.dtype, made.number));
  if (statement.type.kind == Type::Kind::kFloat) made.number = rounded_to(proto::FLOAT32, made.number);
  if (statement.first || statement.kind == Statement::Kind::kBuffer)
    set(statement.name, std::move(made));
  else
    *find(statement.name) = std::move(made);
}

void Evaluator::store(const Statement& statement) {
  const Value from = value(*statement.value);
  const Place to = place(statement.region, statement.indices, statement.line,
                         "store " + statement.name + text_of(statement.indices));
  Values& tensor = tensors_[static_cast<std::size_t>(to.tensor)];
  const proto::DType dtype = program_.program.parameters[static_cast<std::size_t>(to.tensor)].dtype;
  for (std::int64_t i = 0; i < to.length; ++i)
    tensor[static_cast<std::size_t>(to.offset + i)] =
        rounded_to(dtype, from.elements.empty() ? from.number : from.elements[static_cast<std::size_t>(i)]);
}

}  // namespace kg::dsl
