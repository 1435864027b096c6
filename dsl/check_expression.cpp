#include "dsl/check_expression.h"

#include "base/nearest_name.h"
#include "dsl/parser.h"

namespace kg::dsl {
namespace {

using Kind = Type::Kind;

Type scalar(Kind kind) { return {.kind = kind}; }
Type tile(proto::DType dtype, Length length) {
  return {.kind = Kind::kTile, .dtype = dtype, .length = std::move(length)};
}
Type mask(Length length) { return {.kind = Kind::kMask, .length = std::move(length)}; }
bool is_real(proto::DType dtype) { return dtype == proto::FLOAT32 || dtype == proto::FLOAT16; }
bool is_comparison(const std::string& op) {
  return op == "<" || op == "<=" || op == ">" || op == ">=" || op == "==" || op == "!=";
}

}  // namespace

std::string length_text(const Length& length) {
  if (length.factor == 0) return std::to_string(length.constant);
  std::string text = (length.factor == 1 ? "" : std::to_string(length.factor) + " * ") + "len(" + length.range + ")";
  return length.constant == 0 ? text : text + " + " + std::to_string(length.constant);
}

std::string type_text(const Type& type) {
  switch (type.kind) {
    case Kind::kInt:
      return "a whole number";
    case Kind::kFloat:
      return "a number";
    case Kind::kBool:
      return "a condition";
    case Kind::kRange:
      return "a tile range";
    case Kind::kTile:
      return dtype_name(type.dtype) + "[" + length_text(type.length) + "]";
    case Kind::kMask:
      return "a mask[" + length_text(type.length) + "]";
    case Kind::kMatrix:
      return dtype_name(type.dtype) + "[" + length_text(type.rows) + ", " + length_text(type.length) + "] in " +
             (type.product ? "L0C" : "L1");
    default:
      return "nothing";
  }
}

const Type& ExpressionChecker::check(Expr& expr) {
  switch (expr.kind) {
    case Expr::Kind::kNumber:
      expr.type = scalar(expr.integer ? Kind::kInt : Kind::kFloat);
      break;
    case Expr::Kind::kName:
      expr.type = name(expr);
      break;
    case Expr::Kind::kUnary:
      expr.type = unary(expr);
      break;
    case Expr::Kind::kBinary:
      expr.type = binary(expr);
      break;
    case Expr::Kind::kCall:
      expr.type = call(expr);
      break;
    case Expr::Kind::kLoad:
      expr.type = load(expr);
      break;
    case Expr::Kind::kElement:
      expr.type = element(expr);
      break;
  }
  return expr.type;
}

Type ExpressionChecker::name(Expr& expr) {
  if (const Variable* found = scope_.find(expr.text)) return found->type;
  if (parameter(expr.text) >= 0)
    refuse(expr, expr.text + " is a tensor in global memory; read it with load " + expr.text + "[...]");
  if (scope_.hides(expr.text))
    refuse(expr,
           "the vector cores have this name; a loop with gemm runs on the cube cores and sees extents and its "
           "own names");
  const std::string near = nearest_name(expr.text, scope_.names());
  refuse(expr, "this name is not set here" + (near.empty() ? std::string() : "; did you mean " + near + "?"));
}

Type ExpressionChecker::unary(Expr& expr) {
  const Type operand = check(*expr.args[0]);
  if (expr.text == "not") {
    if (operand.kind != Kind::kBool && operand.kind != Kind::kMask)
      refuse(expr, "not takes a condition or a mask, not " + type_text(operand));
    return operand;
  }
  if (!operand.is_scalar() && !operand.is_tile()) refuse(expr, "- takes a number or a tile, not " + type_text(operand));
  return operand;
}

Type ExpressionChecker::binary(Expr& expr) {
  if (expr.text == "**") return power(expr);
  const Type a = check(*expr.args[0]), b = check(*expr.args[1]);
  const std::string& op = expr.text;
  if (op == "and" || op == "or" || op == "&" || op == "|") {
    const bool words = op == "and" || op == "or";
    if (a.kind == Kind::kMask && b.kind == Kind::kMask) {
      if (a.length != b.length)
        refuse(expr, "the masks have lengths " + length_text(a.length) + " and " + length_text(b.length) +
                         "; they must be equal");
      if (words) expr.text = op == "and" ? "&" : "|";
      return a;
    }
    if (a.kind == Kind::kBool && b.kind == Kind::kBool) {
      if (!words) expr.text = op == "&" ? "and" : "or";
      return a;
    }
    refuse(expr, op + " joins two conditions or two masks, not " + type_text(a) + " and " + type_text(b));
  }
  if (a.kind == Kind::kRange || b.kind == Kind::kRange) {
    if ((op == "+" && a.kind != b.kind && (a.kind == Kind::kInt || b.kind == Kind::kInt)) ||
        (op == "-" && b.kind == Kind::kInt))
      return a.kind == Kind::kRange ? a : b;
    refuse(expr,
           "a tile range can be moved by a whole number with + or -, nothing else; its first index is not a number");
  }
  if ((!a.is_scalar() && !a.is_tile()) || (!b.is_scalar() && !b.is_tile()))
    refuse(expr, op + " takes numbers and tiles, not " + type_text(a) + " and " + type_text(b));
  if (!a.is_tile() && !b.is_tile()) return scalar_binary(expr, a, b);
  const Type result = joined(expr);
  if (is_comparison(op)) {
    if (!is_real(result.dtype)) refuse(expr, "tiles of whole numbers cannot be compared; convert them with float(...)");
    return mask(result.length);
  }
  if (op == "//" || op == "%") refuse(expr, op + " is for whole numbers; tiles have /, floor(...)");
  if (op == "/" && !is_real(result.dtype))
    refuse(expr, "tiles of whole numbers cannot be divided; convert them with float(...)");
  return result;
}

Type ExpressionChecker::scalar_binary(Expr& expr, const Type& a, const Type& b) {
  const bool whole = a.kind == Kind::kInt && b.kind == Kind::kInt;
  if (is_comparison(expr.text)) return scalar(Kind::kBool);
  if (expr.text == "//" || expr.text == "%") {
    if (!whole) refuse(expr, expr.text + " takes whole numbers");
    if (constant(*expr.args[1], "the divisor of " + expr.text) < 1)
      refuse(expr, "the divisor of " + expr.text + " is at least 1");
    return scalar(Kind::kInt);
  }
  return scalar(whole && expr.text != "/" ? Kind::kInt : Kind::kFloat);
}

Type ExpressionChecker::power(Expr& expr) {
  const Type base = check(*expr.args[0]);
  const Expr& exponent = *expr.args[1];
  const double n = exponent.number;
  if (exponent.kind != Expr::Kind::kNumber || !(n == 2 || n == 3 || n == 4 || n == 0.5))
    refuse(expr, "the exponent of ** is 2, 3, 4 or 0.5");
  if (n == 0.5 ? base.kind != Kind::kFloat && !(base.is_tile() && is_real(base.dtype))
               : !base.is_scalar() && !base.is_tile())
    refuse(expr, "** takes a number or a tile, not " + type_text(base));
  return base;
}

Type ExpressionChecker::load(Expr& expr) {
  const int tensor = parameter(expr.text);
  if (tensor < 0) {
    const bool variable = scope_.find(expr.text) != nullptr;
    refuse(expr, variable ? expr.text + " is no tensor in global memory; use it without load"
                          : "there is no input " + expr.text);
  }
  const Parameter& from = parameters_[static_cast<std::size_t>(tensor)];
  if (from.output) refuse(expr, expr.text + " is an output; load reads inputs");
  expr.region = region(tensor, expr.indices, expr.pad != nullptr, expr.line, text_of(expr));
  if (expr.pad && !check(*expr.pad).is_scalar()) refuse(expr, "what pads is a number");
  if (expr.native && from.dtype != proto::FLOAT16) refuse(expr, "only a load from half stays in half");
  const bool whole = from.dtype == proto::INT32 || from.dtype == proto::INT64 || from.dtype == proto::INT16;
  if (expr.region.element) {
    if (expr.native) refuse(expr, "a single element is a number, not a tile; leave 'as half' out");
    return scalar(whole || from.dtype == proto::INT8 || from.dtype == proto::UINT8 || from.dtype == proto::BOOL
                      ? Kind::kInt
                      : Kind::kFloat);
  }
  const proto::DType dtype = from.dtype == proto::INT64 || from.dtype == proto::INT32 ? proto::INT32
                             : from.dtype == proto::INT16                             ? proto::INT16
                             : expr.native                                            ? proto::FLOAT16
                                                                                      : proto::FLOAT32;
  return tile(dtype, expr.region.length);
}

Type ExpressionChecker::element(Expr& expr) {
  Expr& base = *expr.args[0];
  if (base.kind == Expr::Kind::kName && scope_.find(base.text) == nullptr && parameter(base.text) >= 0)
    refuse(expr, base.text + " is a tensor in global memory; read it with load " + text_of(expr));
  const Type from = check(base);
  if (!from.is_tile()) refuse(expr, "only tiles have elements; this is " + type_text(from));
  if (expr.indices.size() != 1) refuse(expr, "a tile has one dimension and takes one index");
  Index& index = expr.indices[0];
  if (!index.slice) {
    if (check(*index.at).kind != Kind::kInt) refuse(expr, "an element's index is a whole number");
    if (const auto range = bounds(linear(*index.at));
        range && from.length.factor == 0 && (range->low < 0 || range->high >= from.length.constant))
      refuse(expr, "the index goes from " + std::to_string(range->low) + " to " + std::to_string(range->high) +
                       ", the tile has " + length_text(from.length) + " elements");
    return scalar(is_real(from.dtype) ? Kind::kFloat : Kind::kInt);
  }
  if (from.length.factor != 0)
    refuse(expr,
           "only a tile of constant length can be sliced; this one has " + length_text(from.length) + " elements");
  Linear start;
  Length length;
  check_slice(index, from.length.constant, start, length, expr.line, text_of(expr));
  std::int64_t step = 1;
  if (index.step) step = constant(*index.step, "a slice's step");
  if (step < 1) refuse(expr, "a slice's step is at least 1; flip(...) turns a tile round");
  if (length.factor != 0) refuse(expr, "a slice of a tile has a constant length");
  const std::int64_t last = (length.constant - 1) / step * step;
  if (const auto range = bounds(start); range && (range->low < 0 || range->high + last >= from.length.constant))
    refuse(expr, "the slice goes from " + std::to_string(range->low) + " to " + std::to_string(range->high + last) +
                     ", the tile has " + length_text(from.length) + " elements");
  expr.region.offset = start;
  expr.region.extent = step;
  expr.region.length = {.constant = (length.constant + step - 1) / step};
  return tile(from.dtype, expr.region.length);
}

}  // namespace kg::dsl
