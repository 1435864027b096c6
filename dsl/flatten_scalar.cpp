#include "dsl/flatten_scalar.h"

#include <cctype>

#include "dsl/flatten_call.h"
#include "dsl/flatten_copy.h"
#include "dsl/flatten_tile.h"
#include "dsl/flatten_vector.h"
#include "dsl/functions.h"
#include "dsl/scalar_text.h"

namespace kg::dsl {
namespace {

bool is_number_text(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.-") == std::string::npos;
}

// The scalar unit has no such function: one element goes through the vector unit.
Text through_tile(Flattening& flat, const Expr& expr) {
  const Type type{.kind = Type::Kind::kTile, .dtype = proto::FLOAT32, .length = {.constant = 8}};
  std::vector<std::string> scalars;
  for (std::size_t i = 1; i < expr.args.size(); ++i)
    scalars.push_back(bare_argument(flat, *expr.args[i], proto::FLOAT32));
  const int source = filled(flat, type, argument(flat, *expr.args[0], proto::FLOAT32), expr.line, -1);
  const int result =
      elementwise(flat, *find_function(expr.text, expr.args.size()), type, source, scalars, expr.line, -1);
  const std::string made = flat.fresh("value");
  flat.define(expr.line, made, "const float", "\x01" + std::to_string(result) + "\x01.GetValue(0)", {result});
  return {made};
}

// Each core leaves its number in the workspace, all wait, then each core reads those of all.
Text all_cores(Flattening& flat, const Expr& expr) {
  const std::string value = argument(flat, *expr.args[0], proto::FLOAT32);
  const std::int64_t cores = flat.form.checked.launched, place = flat.form.reductions++ * cores * 8;
  const Type one{.kind = Type::Kind::kTile, .dtype = proto::FLOAT32, .length = {.constant = 8}};
  const Type all{.kind = Type::Kind::kTile, .dtype = proto::FLOAT32, .length = {.constant = cores * 8}};
  const int out = flat.new_tile("partialOut", proto::FLOAT32, one.length, Tile::Home::kOut);
  filled(flat, one, value, expr.line, out);
  Copy copy{.tensor = kWorkspace,
            .tile = out,
            .offset = (place == 0 ? "" : std::to_string(place) + " + ") + "GetBlockIdx() * 8",
            .count = "8",
            .offset_unit = 8,
            .count_unit = 8};
  Step& leave = flat.step(Step::Kind::kCopyOut, expr.line);
  leave.sources = {out};
  leave.copy = copy;
  flat.step(Step::Kind::kBarrier, expr.line);
  const int in = flat.new_tile("partialsIn", proto::FLOAT32, all.length, Tile::Home::kIn);
  copy.tile = in;
  copy.offset = std::to_string(place);
  copy.count = std::to_string(cores * 8);
  Step& fetch = flat.step(Step::Kind::kCopyIn, expr.line);
  fetch.result = in;
  fetch.copy = copy;
  const int scratch = flat.new_tile("", proto::FLOAT32, {.constant = 16}, Tile::Home::kWork);
  const int result = flat.new_tile("", proto::FLOAT32, {.constant = 8}, Tile::Home::kWork);
  Step& reduce = flat.step(Step::Kind::kVector, expr.line);
  reduce.op = expr.text == "all_sum" ? "ReduceSum" : expr.text == "all_max" ? "ReduceMax" : "ReduceMin";
  reduce.result = result;
  reduce.sources = {in};
  reduce.scratch = {scratch};
  reduce.count = copy.count;
  reduce.elements = cores * 8;
  const std::string made = flat.fresh("all");
  // Every number is stored eight times in its block.
  flat.define(expr.line, made, "const float",
              "\x01" + std::to_string(result) + "\x01.GetValue(0)" + (expr.text == "all_sum" ? " * 0.125f" : ""),
              {result});
  return {made};
}

Text scalar_call(Flattening& flat, const Expr& expr) {
  const Function* function = find_function(expr.text, expr.args.size());
  const std::string& name = expr.text;
  if (name == "size") return {std::to_string(static_cast<std::int64_t>(expr.number))};
  if (name == "start") return scalar_of(flat, *expr.args[0]);
  if (name == "len") return {length_text(flat, expr.args[0]->type.length), kSum};
  if (function->kind == Function::Kind::kReduce) {
    const int result = reduced(flat, expr, -1);
    const std::string made = flat.fresh(name == "mean" ? "mean" : "reduced");
    const std::string value = "\x01" + std::to_string(result) + "\x01.GetValue(0)";
    flat.define(expr.line, made, "const float",
                name == "mean" ? value + " / float(" + length_text(flat, expr.args[0]->type.length) + ")" : value,
                {result});
    return {made};
  }
  if (function->kind == Function::Kind::kAllCores) return all_cores(flat, expr);
  if (function->kind == Function::Kind::kCast) {
    const Text value = scalar_of(flat, *expr.args[0]);
    if (name == "half") return {"float(half(" + value.text + "))"};
    return {(name == "float" ? "float(" : name == "int16" ? "int16_t(" : "int32_t(") + value.text + ")"};
  }
  if (name == "where") {
    const Text condition = scalar_of(flat, *expr.args[0]), yes = scalar_of(flat, *expr.args[1]),
               no = scalar_of(flat, *expr.args[2]);
    return {wrapped(condition, 1) + " ? " + wrapped(yes, 1) + " : " + wrapped(no, 1), kConditional};
  }
  const auto operand = [&](std::size_t i) {
    const Text value = scalar_of(flat, *expr.args[i]);
    const bool convert = expr.type.kind == Type::Kind::kFloat && expr.args[i]->type.kind == Type::Kind::kInt;
    return convert ? Text{"float(" + value.text + ")"} : value;
  };
  if (function->kind == Function::Kind::kPair) {
    const std::string a = wrapped(operand(0), kCompare + 1), b = wrapped(operand(1), kCompare + 1);
    return {a + (name == "max" ? " > " : " < ") + b + " ? " + a + " : " + b, kConditional};
  }
  if (name == "sqrt") return {"sqrt(" + operand(0).text + ")"};
  if (name == "rsqrt") return {"1.0f / sqrt(" + operand(0).text + ")", kProduct};
  if (name == "reciprocal") return {"1.0f / " + wrapped(operand(0), kProduct + 1), kProduct};
  if (name == "square")
    return {wrapped(operand(0), kProduct + 1) + " * " + wrapped(operand(0), kProduct + 1), kProduct};
  if (name == "abs" || name == "relu") {
    const std::string a = wrapped(operand(0), kUnary + 1);
    return {a + " > 0 ? " + a +
                (name == "abs" ? " : -" + a : " : " + std::string(expr.type.kind == Type::Kind::kInt ? "0" : "0.0f")),
            kConditional};
  }
  return through_tile(flat, expr);
}

Text binary_text(Flattening& flat, const Expr& expr) {
  const std::string& op = expr.text;
  if (op == "**") {
    const Text base = scalar_of(flat, *expr.args[0]);
    const double n = expr.args[1]->number;
    if (n == 0.5) return {"sqrt(" + base.text + ")"};
    std::string text = wrapped(base, kProduct + 1);
    for (int i = 1; i < static_cast<int>(n); ++i) text += " * " + wrapped(base, kProduct + 1);
    return {text, kProduct};
  }
  const Text a = scalar_of(flat, *expr.args[0]), b = scalar_of(flat, *expr.args[1]);
  const bool compares = expr.type.kind == Type::Kind::kBool;
  if (op == "and" || op == "or") {
    const int binding = op == "and" ? kAnd : kOr;
    return {wrapped(a, binding + 1) + (op == "and" ? " && " : " || ") + wrapped(b, binding + 1), binding};
  }
  if (compares) return {wrapped(a, kCompare + 1) + " " + op + " " + wrapped(b, kCompare + 1), kCompare};
  const int binding = op == "+" || op == "-" ? kSum : kProduct;
  const bool cast = op == "/" && expr.args[0]->type.kind == Type::Kind::kInt;
  return {(cast ? "float(" + a.text + ")" : wrapped(a, binding)) + " " + (op == "//" ? "/" : op) + " " +
              wrapped(b, binding + 1),
          binding};
}

Text element_of(Flattening& flat, const Expr& expr) {
  const int source = tile_of(flat, *expr.args[0]);
  const std::string index = scalar_of(flat, *expr.indices[0].at).text, made = flat.fresh("element");
  std::string value = "\x01" + std::to_string(source) + "\x01.GetValue(" + index + ")";
  if (flat.form.tile(source).dtype == proto::FLOAT16) value = "float(" + value + ")";
  flat.define(expr.line, made, expr.type.kind == Type::Kind::kFloat ? "const float" : "const int32_t", value, {source});
  return {made};
}

Text loaded_number(Flattening& flat, const Expr& expr) {
  const bool real = expr.type.kind == Type::Kind::kFloat;
  const Parameter& from = flat.form.tensor(expr.region.tensor);
  const std::string made = flat.fresh(cpp_name(from.name) + "Value");
  const std::string value = cpp_name(from.name) + "Gm.GetValue(" + offset_text(flat, expr.region, expr.indices) + ")";
  const std::string converted = from.dtype == proto::BFLOAT16  ? "ToFloat(" + value + ")"
                                : from.dtype == proto::FLOAT16 ? "float(" + value + ")"
                                : from.dtype == proto::FLOAT64 ? "FloatOfDouble(" + value + ")"
                                                               : value;
  flat.define(expr.line, made,
              real                ? "const float"
              : flat.form.index64 ? "const int64_t"
                                  : "const int32_t",
              real || from.dtype == proto::INT32 ? converted : "static_cast<int32_t>(" + value + ")");
  flat.steps->back().waits = true;
  return {made};
}

}  // namespace

std::string in_type(const std::string& text, proto::DType dtype) {
  switch (dtype) {
    case proto::FLOAT32:
      if (is_number_text(text)) return text + (text.find('.') == std::string::npos ? ".0f" : "f");
      return text;
    case proto::FLOAT16:
      return "half(" + (is_number_text(text) ? text + (text.find('.') == std::string::npos ? ".0f" : "f") : text) + ")";
    case proto::BFLOAT16:
      return "ToBfloat16(" + text + ")";
    default:
      return is_number_text(text) && dtype == proto::INT32 ? text : cpp_type(dtype) + "(" + text + ")";
  }
}

std::string grouped(const std::string& text) {
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '.') return "(" + text + ")";
  return text;
}

std::string wrapped(const Text& text, int binding) {
  return text.binding < binding ? "(" + text.text + ")" : text.text;
}

std::string argument(Flattening& flat, const Expr& expr, proto::DType dtype) {
  const bool real = dtype == proto::FLOAT32 || dtype == proto::FLOAT16 || dtype == proto::BFLOAT16;
  if (expr.kind == Expr::Kind::kNumber && real) {
    const std::string text = float_text(expr.number);
    return dtype == proto::FLOAT32 ? text : in_type(text, dtype);
  }
  const Text value = scalar_of(flat, expr);
  if (dtype == proto::FLOAT32) return expr.type.kind == Type::Kind::kInt ? "float(" + value.text + ")" : value.text;
  if (real) return in_type(expr.type.kind == Type::Kind::kInt ? "float(" + value.text + ")" : value.text, dtype);
  return in_type(value.text, dtype);
}

std::string bare_argument(Flattening& flat, const Expr& expr, proto::DType dtype) {
  const bool real = dtype == proto::FLOAT32 || dtype == proto::FLOAT16 || dtype == proto::BFLOAT16;
  return real ? argument(flat, expr, proto::FLOAT32) : scalar_of(flat, expr).text;
}

Text scalar_of(Flattening& flat, const Expr& expr) {
  switch (expr.kind) {
    case Expr::Kind::kNumber: {
      if (!expr.integer) return {float_text(expr.number), expr.number < 0 ? kUnary : kAtom};
      std::string text = std::to_string(static_cast<std::int64_t>(expr.number));
      return {text, expr.number < 0 ? kUnary : kAtom};
    }
    case Expr::Kind::kName:
      if (expr.text == "program_id") return {"GetBlockIdx()"};
      if (expr.text == "num_programs") return {std::to_string(flat.cores)};
      return {cpp_name(expr.text)};
    case Expr::Kind::kUnary:
      return {(expr.text == "not" ? "!" : "-") + wrapped(scalar_of(flat, *expr.args[0]), kUnary + 1), kUnary};
    case Expr::Kind::kBinary:
      return binary_text(flat, expr);
    case Expr::Kind::kElement:
      return element_of(flat, expr);
    case Expr::Kind::kLoad:
      return loaded_number(flat, expr);
    case Expr::Kind::kCall:
      return scalar_call(flat, expr);
  }
  return {};
}

}  // namespace kg::dsl
