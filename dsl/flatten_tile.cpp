#include "dsl/flatten_tile.h"

#include <map>
#include <utility>

#include "base/check.h"
#include "dsl/flatten_call.h"
#include "dsl/flatten_copy.h"
#include "dsl/flatten_scalar.h"
#include "dsl/flatten_vector.h"
#include "dsl/flatten_view.h"

namespace kg::dsl {
namespace {

// a + b * c, where a is computed here and can be added to: one instruction for the product and the sum. -1: not so.
int fused(Flattening& flat, const Expr& expr, int into) {
  const auto is_product = [](const Expr& e) { return e.kind == Expr::Kind::kBinary && e.text == "*"; };
  const auto is_computed = [](const Expr& e) { return e.kind == Expr::Kind::kBinary && e.type.is_tile(); };
  const bool real = expr.type.dtype == proto::FLOAT32 || expr.type.dtype == proto::FLOAT16;
  if (!real || (expr.text != "+" && expr.text != "-")) return -1;
  const bool turned = expr.text == "+" && !is_product(*expr.args[1]);
  const Expr &base = *expr.args[turned ? 1 : 0], &product = *expr.args[turned ? 0 : 1];
  if (!product.type.is_tile() || !is_product(product) || !is_computed(base)) return -1;
  const Expr &a = *product.args[0], &b = *product.args[1];
  const bool both = a.type.is_tile() && b.type.is_tile();
  if ((both && expr.text == "-") || (into >= 0 && reads(flat, product, into))) return -1;
  const int sums = tile_of(flat, base, into);
  const auto add = [&](const char* op, std::vector<int> sources, std::vector<std::string> scalars) {
    sources.push_back(sums);
    const int result = operation(flat, op, expr.type, std::move(sources), std::move(scalars), expr.line, sums);
    return result;
  };
  if (both) {
    const int left = tile_of(flat, a), right = tile_of(flat, b);
    return add("MulAddDst", {left, right}, {});
  }
  const Expr &vector = a.type.is_tile() ? a : b, &number = a.type.is_tile() ? b : a;
  const int source = tile_of(flat, vector);
  if (expr.text == "+") return add("Axpy", {source}, {argument(flat, number, expr.type.dtype)});
  const std::string negative = "-" + grouped(bare_argument(flat, number, expr.type.dtype));
  return add("Axpy", {source}, {in_type(negative, expr.type.dtype)});
}

int compared(Flattening& flat, const Expr& expr, int into) {
  static const std::map<std::string, std::pair<const char*, const char*>> kModes = {
      {"<", {"LT", "GT"}},  {"<=", {"LE", "GE"}}, {">", {"GT", "LT"}},
      {">=", {"GE", "LE"}}, {"==", {"EQ", "EQ"}}, {"!=", {"NE", "NE"}}};
  const auto& [straight, turned] = kModes.at(expr.text);
  const Expr &left = *expr.args[0], &right = *expr.args[1];
  if (left.type.is_tile() && right.type.is_tile()) {
    const int a = whole_tile(flat, tile_of(flat, left), left.type, expr.line),
              b = whole_tile(flat, tile_of(flat, right), right.type, expr.line);
    return operation(flat, "Compare", expr.type, {a, b}, {straight}, expr.line, into, /*in_place=*/false);
  }
  const bool tile_first = left.type.is_tile();
  const Expr& vector = tile_first ? left : right;
  const int source = whole_tile(flat, tile_of(flat, vector), vector.type, expr.line);
  const std::string number = argument(flat, tile_first ? right : left, vector.type.dtype);
  return operation(flat, "CompareScalar", expr.type, {source}, {number, tile_first ? straight : turned}, expr.line,
                   into,
                   /*in_place=*/false);
}

int binary_tile(Flattening& flat, const Expr& expr, int into) {
  const Expr &left = *expr.args[0], &right = *expr.args[1];
  if (expr.type.kind == Type::Kind::kMask) {
    if (expr.text != "&" && expr.text != "|") return compared(flat, expr, into);
    const int a = tile_of(flat, left), b = tile_of(flat, right);
    return operation(flat, expr.text == "&" ? "And" : "Or", expr.type, {a, b}, {}, expr.line, into);
  }
  const Type& type = expr.type;
  if (const int result = fused(flat, expr, into); result >= 0) return result;
  if (expr.text == "**") {
    const int base = tile_of(flat, left);
    if (right.number == 0.5) return operation(flat, "Sqrt", type, {base}, {}, expr.line, into);
    if (right.number == 2) return operation(flat, "Mul", type, {base, base}, {}, expr.line, into);
    const int squared = operation(flat, "Mul", type, {base, base}, {}, expr.line, -1);
    return operation(flat, "Mul", type, {squared, right.number == 3 ? base : squared}, {}, expr.line, into);
  }
  const bool both = left.type.is_tile() && right.type.is_tile();
  if (both) {
    const int a = tile_of(flat, left), b = tile_of(flat, right);
    const char* op = expr.text == "+" ? "Add" : expr.text == "-" ? "Sub" : expr.text == "*" ? "Mul" : "Div";
    return operation(flat, op, type, {a, b}, {}, expr.line, into);
  }
  const bool tile_first = left.type.is_tile();
  const Expr& number = tile_first ? right : left;
  const int source = tile_of(flat, tile_first ? left : right);
  if (expr.text == "+")
    return operation(flat, "Adds", type, {source}, {argument(flat, number, type.dtype)}, expr.line, into);
  if (expr.text == "*")
    return operation(flat, "Muls", type, {source}, {argument(flat, number, type.dtype)}, expr.line, into);
  if (expr.text == "-" && tile_first)
    return operation(flat, "Adds", type, {source},
                     {in_type("-" + grouped(bare_argument(flat, number, type.dtype)), type.dtype)}, expr.line, into);
  if (expr.text == "-") {
    const int negative = operation(flat, "Muls", type, {source}, {in_type("-1", type.dtype)}, expr.line, -1);
    return operation(flat, "Adds", type, {negative}, {argument(flat, number, type.dtype)}, expr.line, into);
  }
  if (tile_first)
    return operation(flat, "Muls", type, {source},
                     {in_type("1.0f / " + grouped(bare_argument(flat, number, type.dtype)), type.dtype)}, expr.line,
                     into);
  const int numerator = filled(flat, type, argument(flat, number, type.dtype), expr.line, -1);
  return operation(flat, "Div", type, {numerator, source}, {}, expr.line, into);
}

}  // namespace

int tile_of(Flattening& flat, const Expr& expr, int into) {
  switch (expr.kind) {
    case Expr::Kind::kName: {
      const int held = flat.name(expr.text).tile;
      return into < 0 || into == held
                 ? held
                 : operation(flat, "Copy", expr.type, {held}, {}, expr.line, into, /*in_place=*/false);
    }
    case Expr::Kind::kUnary:
      if (expr.type.kind == Type::Kind::kMask)
        return operation(flat, "Not", expr.type, {tile_of(flat, *expr.args[0])}, {}, expr.line, into);
      return operation(flat, "Muls", expr.type, {tile_of(flat, *expr.args[0])}, {in_type("-1", expr.type.dtype)},
                       expr.line, into);
    case Expr::Kind::kBinary:
      return binary_tile(flat, expr, into);
    case Expr::Kind::kCall:
      return call_tile(flat, expr, into);
    case Expr::Kind::kLoad:
      return load_tile(flat, expr, into);
    case Expr::Kind::kElement:
      return slice_of(flat, expr, into);
    case Expr::Kind::kNumber:
      break;
  }
  KG_CHECK(!"a number is no tile");
  return -1;
}

}  // namespace kg::dsl
