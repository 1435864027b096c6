#include "dsl/check_expression.h"

#include "base/nearest_name.h"
#include "dsl/check_call.h"
#include "dsl/check_linear.h"
#include "dsl/check_region.h"
#include "dsl/types.h"

namespace kg::dsl {
namespace {

using Kind = Type::Kind;

bool is_comparison(const std::string& op) {
  return op == "<" || op == "<=" || op == ">" || op == ">=" || op == "==" || op == "!=";
}

Type name_type(Visible& seen, Expr& expr) {
  if (const Variable* found = seen.scope.find(expr.text)) return found->type;
  if (parameter_of(seen, expr.text) >= 0)
    refuse(expr, expr.text + " is a tensor in global memory; read it with load " + expr.text + "[...]");
  if (seen.scope.hides(expr.text))
    refuse(expr,
           "this name belongs to the vector cores; a loop with gemm runs on the cube cores and sees extents and its "
           "own names");
  const std::string near = nearest_name(expr.text, seen.scope.names());
  refuse(expr, "this name has no value here" + (near.empty() ? std::string() : "; did you mean " + near + "?"));
}

Type unary_type(Visible& seen, Expr& expr) {
  const Type operand = check_expression(seen, *expr.args[0]);
  if (expr.text == "not") {
    if (operand.kind != Kind::kBool && operand.kind != Kind::kMask)
      refuse(expr, "not takes a condition or a mask, not " + type_text(operand));
    return operand;
  }
  if (!operand.is_scalar() && !operand.is_tile()) refuse(expr, "- takes a number or a tile, not " + type_text(operand));
  return operand;
}

Type scalar_binary_type(Visible& seen, Expr& expr, const Type& a, const Type& b) {
  const bool whole = a.kind == Kind::kInt && b.kind == Kind::kInt;
  if (is_comparison(expr.text)) return scalar_type(Kind::kBool);
  if (expr.text == "//" || expr.text == "%") {
    if (!whole) refuse(expr, expr.text + " takes whole numbers");
    if (constant_value(seen, *expr.args[1], "the divisor of " + expr.text) < 1)
      refuse(expr, "the divisor of " + expr.text + " is at least 1");
    return scalar_type(Kind::kInt);
  }
  return scalar_type(whole && expr.text != "/" ? Kind::kInt : Kind::kFloat);
}

Type power_type(Visible& seen, Expr& expr) {
  const Type base = check_expression(seen, *expr.args[0]);
  const Expr& exponent = *expr.args[1];
  const double n = exponent.number;
  if (exponent.kind != Expr::Kind::kNumber || !(n == 2 || n == 3 || n == 4 || n == 0.5))
    refuse(expr, "the exponent of ** is 2, 3, 4 or 0.5");
  if (n == 0.5 ? base.kind != Kind::kFloat && !(base.is_tile() && is_real(base.dtype))
               : !base.is_scalar() && !base.is_tile())
    refuse(expr, "** takes a number or a tile, not " + type_text(base));
  return base;
}

Type binary_type(Visible& seen, Expr& expr) {
  if (expr.text == "**") return power_type(seen, expr);
  const Type a = check_expression(seen, *expr.args[0]), b = check_expression(seen, *expr.args[1]);
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
  if (!a.is_tile() && !b.is_tile()) return scalar_binary_type(seen, expr, a, b);
  const Type result = common_type(expr);
  if (is_comparison(op)) {
    if (!is_real(result.dtype)) refuse(expr, "tiles of whole numbers cannot be compared; convert them with float(...)");
    return mask_type(result.length);
  }
  if (op == "//" || op == "%") refuse(expr, op + " is for whole numbers; tiles have /, floor(...)");
  if (op == "/" && !is_real(result.dtype))
    refuse(expr, "tiles of whole numbers cannot be divided; convert them with float(...)");
  return result;
}

Type load_type(Visible& seen, Expr& expr) {
  const int tensor = parameter_of(seen, expr.text);
  if (tensor < 0) {
    const bool variable = seen.scope.find(expr.text) != nullptr;
    refuse(expr, variable ? expr.text + " is not a tensor in global memory; use it without load"
                          : "there is no input " + expr.text);
  }
  const Parameter& from = seen.parameters[static_cast<std::size_t>(tensor)];
  if (from.output && !from.in_place) refuse(expr, expr.text + " is an output; load reads inputs");
  expr.region = region_of(seen, tensor, expr.indices, expr.pad != nullptr, expr.line, text_of(expr));
  if (expr.pad && !check_expression(seen, *expr.pad).is_scalar()) refuse(expr, "the padding value must be a number");
  if (expr.native && from.dtype != proto::FLOAT16) refuse(expr, "only a load from half stays in half");
  if (expr.region.element) {
    if (expr.native) refuse(expr, "a single element is a number, not a tile; leave 'as half' out");
    return scalar_type(is_whole(from.dtype) ? Kind::kInt : Kind::kFloat);
  }
  if (from.dtype == proto::FLOAT64)
    refuse(expr, "the vector unit has no double: load such numbers one at a time, as in load " + expr.text + "[i]");
  const proto::DType dtype = from.dtype == proto::INT64 || from.dtype == proto::INT32 ? proto::INT32
                             : from.dtype == proto::INT16                             ? proto::INT16
                             : expr.native                                            ? proto::FLOAT16
                                                                                      : proto::FLOAT32;
  return tile_type(dtype, expr.region.length);
}

Type element_type(Visible& seen, Expr& expr) {
  Expr& base = *expr.args[0];
  if (base.kind == Expr::Kind::kName && seen.scope.find(base.text) == nullptr && parameter_of(seen, base.text) >= 0)
    refuse(expr, base.text + " is a tensor in global memory; read it with load " + text_of(expr));
  const Type from = check_expression(seen, base);
  if (!from.is_tile()) refuse(expr, "only tiles have elements; this is " + type_text(from));
  if (expr.indices.size() != 1) refuse(expr, "a tile has one dimension and takes one index");
  Index& index = expr.indices[0];
  if (!index.slice) {
    if (check_expression(seen, *index.at).kind != Kind::kInt) refuse(expr, "an element's index is a whole number");
    if (const auto range = bounds(seen, linear(seen, *index.at));
        range && from.length.factor == 0 && (range->low < 0 || range->high >= from.length.constant))
      refuse(expr, "the index goes from " + std::to_string(range->low) + " to " + std::to_string(range->high) +
                       ", the tile has " + length_text(from.length) + " elements");
    return scalar_type(is_real(from.dtype) ? Kind::kFloat : Kind::kInt);
  }
  if (from.length.factor != 0)
    refuse(expr,
           "only a tile of constant length can be sliced; this one has " + length_text(from.length) + " elements");
  Linear start;
  Length length;
  check_slice(seen, index, from.length.constant, start, length, expr.line, text_of(expr));
  std::int64_t step = 1;
  if (index.step) step = constant_value(seen, *index.step, "a slice's step");
  if (step < 1) refuse(expr, "a slice's step must be at least 1; flip(...) reverses a tile");
  if (length.factor != 0) refuse(expr, "a slice of a tile has a constant length");
  const std::int64_t last = (length.constant - 1) / step * step;
  if (const auto range = bounds(seen, start); range && (range->low < 0 || range->high + last >= from.length.constant))
    refuse(expr, "the slice goes from " + std::to_string(range->low) + " to " + std::to_string(range->high + last) +
                     ", the tile has " + length_text(from.length) + " elements");
  expr.region.offset = start;
  expr.region.extent = step;
  expr.region.length = {.constant = (length.constant + step - 1) / step};
  return tile_type(from.dtype, expr.region.length);
}

}  // namespace

const Type& check_expression(Visible& seen, Expr& expr) {
  switch (expr.kind) {
    case Expr::Kind::kNumber:
      expr.type = scalar_type(expr.integer ? Type::Kind::kInt : Type::Kind::kFloat);
      break;
    case Expr::Kind::kName:
      expr.type = name_type(seen, expr);
      break;
    case Expr::Kind::kUnary:
      expr.type = unary_type(seen, expr);
      break;
    case Expr::Kind::kBinary:
      expr.type = binary_type(seen, expr);
      break;
    case Expr::Kind::kCall:
      expr.type = call_type(seen, expr);
      break;
    case Expr::Kind::kLoad:
      expr.type = load_type(seen, expr);
      break;
    case Expr::Kind::kElement:
      expr.type = element_type(seen, expr);
      break;
  }
  return expr.type;
}

}  // namespace kg::dsl
