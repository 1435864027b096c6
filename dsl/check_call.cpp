#include "dsl/check_call.h"

#include "dsl/check_expression.h"
#include "dsl/check_linear.h"
#include "dsl/functions.h"
#include "dsl/parser.h"
#include "dsl/types.h"

namespace kg::dsl {
namespace {

using Kind = Type::Kind;

Type elementwise_type(Expr& expr) {
  const Type result = common_type(expr);
  if (result.is_tile() && !is_real(result.dtype))
    refuse(expr, expr.text + " takes tiles of float or half; convert with float(...)");
  for (std::size_t i = 1; i < expr.args.size(); ++i)
    if (expr.args[i]->type.is_tile())
      refuse(expr, "only the first argument of " + expr.text + " is a tile; use max, min or where for others");
  if (expr.text == "bfloat16" && (!result.is_tile() || result.dtype != proto::FLOAT32))
    refuse(expr, "bfloat16(a) rounds a tile of float; its type stays float");
  if (!result.is_tile()) return scalar_type(expr.text == "abs" || expr.text == "square" ? result.kind : Kind::kFloat);
  if (!expr.args[0]->type.is_tile()) refuse(expr, "the first argument of " + expr.text + " is the tile");
  return result;
}

Type other_call_type(Visible& seen, Expr& expr) {
  if (expr.text == "size") {
    const int tensor = parameter_of(seen, expr.args[0]->text);
    if (expr.args[0]->kind != Expr::Kind::kName || tensor < 0)
      refuse(expr, "size takes the name of an input or output");
    double elements = 1;
    for (const std::int64_t extent : seen.parameters[static_cast<std::size_t>(tensor)].shape)
      elements *= static_cast<double>(extent);
    expr.number = elements;
    return scalar_type(Kind::kInt);
  }
  const Type first = expr.args[0]->type;
  if (expr.text == "where") {
    if (first.kind == Kind::kMask) {
      Type result = common_type(expr, 1);
      if (!result.is_tile()) result = tile_type(proto::FLOAT32, first.length);
      if (result.length != first.length)
        refuse(expr, "mask and tiles must have equal lengths, not " + length_text(first.length) + " and " +
                         length_text(result.length));
      if (!is_real(result.dtype)) refuse(expr, "where chooses between tiles of float or half; convert with float(...)");
      return result;
    }
    if (first.kind != Kind::kBool)
      refuse(expr, "the first argument of where is a comparison, as in where(a > 0, a, 0.0)");
    const Type result = common_type(expr, 1);
    if (!result.is_scalar()) refuse(expr, "where on a condition chooses numbers; use if for tiles");
    return result;
  }
  if (expr.text == "gather") {
    const Type& indices = expr.args[1]->type;
    if (!first.is_tile()) refuse(expr, "gather takes its elements from a tile, not " + type_text(first));
    if (!indices.is_tile() || indices.dtype != proto::INT32)
      refuse(expr, "the second argument of gather is a tile of int32 indices");
    return tile_type(first.dtype, indices.length);
  }
  if (expr.text == "len") {
    if (first.kind != Kind::kRange && !first.is_tile()) refuse(expr, "len takes a tile or a tile range");
    return scalar_type(Kind::kInt);
  }
  if (expr.text == "start") {
    if (first.kind != Kind::kRange) refuse(expr, "start takes a tile range: its first index");
    return scalar_type(Kind::kInt);
  }
  if (expr.text == "full" && !expr.args[1]->type.is_scalar()) refuse(expr, "full(length, value) fills with a number");
  if (first.kind != Kind::kInt) refuse(expr, "the length of a tile is a whole number, not " + type_text(first));
  const Length length = length_of(seen, linear(seen, *expr.args[0]), expr.line, text_of(expr));
  return tile_type(expr.text == "arange" ? proto::INT32 : proto::FLOAT32, length);
}

}  // namespace

Type common_type(Expr& expr, std::size_t first) {
  const Type* found = nullptr;
  bool real = false;
  for (std::size_t i = first; i < expr.args.size(); ++i) {
    const Type& type = expr.args[i]->type;
    if (!type.is_tile()) {
      if (!type.is_scalar()) refuse(expr, "expected a number or a tile, not " + type_text(type));
      real |= type.kind == Kind::kFloat;
      continue;
    }
    if (found != nullptr && type.length != found->length)
      refuse(expr, "the tiles have " + length_text(found->length) + " and " + length_text(type.length) +
                       " elements; they must be equal");
    if (found != nullptr && type.dtype != found->dtype)
      refuse(expr, "the tiles are " + dtype_name(found->dtype) + " and " + dtype_name(type.dtype) +
                       "; convert one, as in float(...)");
    found = &type;
  }
  if (found == nullptr) return scalar_type(real ? Kind::kFloat : Kind::kInt);
  if (real && !is_real(found->dtype))
    refuse(expr, "a tile of whole numbers takes whole numbers; convert it with float(...)");
  return *found;
}

Type call_type(Visible& seen, Expr& expr) {
  if (expr.text == "gemm" || expr.text == "transpose")
    refuse(expr, "products are added to sums in L0C, as in c += gemm(p, transpose(q))");
  const Function* function = find_function(expr.text, expr.args.size());
  if (function == nullptr) refuse(expr, unknown_function(expr.text, expr.args.size()));
  if (expr.text == "size") return other_call_type(seen, expr);
  for (const ExprPtr& arg : expr.args) check_expression(seen, *arg);
  const Type& first = expr.args[0]->type;
  switch (function->kind) {
    case Function::Kind::kElementwise:
      return elementwise_type(expr);
    case Function::Kind::kPair:
      return common_type(expr);
    case Function::Kind::kReduce:
      if (!first.is_tile()) refuse(expr, expr.text + " of one argument reduces a tile; this is " + type_text(first));
      if (!is_real(first.dtype)) refuse(expr, "only tiles of float or half are reduced; convert with float(...)");
      return scalar_type(Kind::kFloat);
    case Function::Kind::kAllCores:
      if (!first.is_scalar()) refuse(expr, expr.text + " takes a number of each core, not " + type_text(first));
      if (!seen.top_level)
        refuse(expr, "every core must reach " + expr.text + " once, so it must be outside of loops and conditions");
      return scalar_type(Kind::kFloat);
    case Function::Kind::kScan:
      if (!first.is_tile() || first.dtype != proto::FLOAT32)
        refuse(expr, expr.text + " takes a tile of float, not " + type_text(first));
      return first;
    case Function::Kind::kCast:
      if (first.is_scalar())
        return scalar_type(expr.text == "float" || expr.text == "half" ? Kind::kFloat : Kind::kInt);
      if (!first.is_tile()) refuse(expr, expr.text + " converts a tile or a number, not " + type_text(first));
      if (expr.text == "int") expr.text = "int32";
      return tile_type(dtype_of(expr.text), first.length);
    default:
      return other_call_type(seen, expr);
  }
}

}  // namespace kg::dsl
