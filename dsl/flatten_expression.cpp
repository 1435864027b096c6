#include <algorithm>
#include <numeric>
#include <set>

#include "base/check.h"
#include "dsl/constant.h"
#include "dsl/flatten.h"
#include "dsl/scalar_text.h"

namespace kg::dsl {

std::string Flattener::fresh(const std::string& stem) {
  const int number = used_names_[stem]++;
  return number == 0 ? stem : stem + std::to_string(number + 1);
}

std::string Flattener::range_length(const std::string& range) const {
  const Name& found = name(range);
  return found.dynamic ? cpp_name(range) + "Len" : std::to_string(found.longest);
}

std::string Flattener::length_text(const Length& length) const {
  if (length.factor == 0) {
    return std::to_string(length.constant);
  }
  std::string text = range_length(length.range);
  if (length.factor != 1) text += " * " + std::to_string(length.factor);
  return length.constant == 0 ? text : text + " + " + std::to_string(length.constant);
}

std::int64_t Flattener::longest(const Length& length) const {
  return length.constant + (length.factor == 0 ? 0 : length.factor * name(length.range).longest);
}

std::int64_t Flattener::unit_of(const Length& length) const {
  if (length.factor == 0) return length.constant;
  const Name& range = name(length.range);
  const std::int64_t pieces = std::gcd(range.longest, range.total % range.longest);
  return std::gcd(length.constant, length.factor * pieces);
}

std::int64_t Flattener::unit_of(const Linear& offset) const {
  std::int64_t unit = offset.constant;
  for (const auto& [term, coefficient] : offset.terms) {
    std::int64_t grain = 1;
    for (const auto& scope : scopes_)
      if (const auto found = scope.find(term); found != scope.end() && found->second.longest > 0)
        grain = found->second.longest;
    unit = std::gcd(unit, coefficient * grain);
  }
  return unit;
}

int Flattener::new_tile(const std::string& name, proto::DType dtype, const Length& length, Tile::Home home) {
  Tile made;
  made.name = name.empty() ? "" : fresh(name);
  made.dtype = dtype;
  made.capacity = longest(length);
  made.home = home;
  form_.tiles.push_back(std::move(made));
  return static_cast<int>(form_.tiles.size()) - 1;
}

int Flattener::made(const Type& type, int into) {
  if (into >= 0) return into;
  if (type.kind != Type::Kind::kMask) return new_tile("", type.dtype, type.length, Tile::Home::kWork);
  // One bit an element, comparisons write whole repeats.
  const std::int64_t bytes = align_up(longest(type.length), 256) / 8;
  return new_tile("", proto::UINT8, {.constant = bytes}, Tile::Home::kWork);
}

bool is_library(const std::string& op) {
  static const std::set<std::string> kCalls = {"Erf", "Sin", "Cos", "Floor", "Ceil", "Round", "Trunc"};
  return kCalls.contains(op);
}

int Flattener::operation(const std::string& op, const Type& type, std::vector<int> sources,
                         std::vector<std::string> scalars, int line, int into, bool in_place) {
  // What reads its source in another order than it writes cannot write over it.
  const bool crosses = op == "Gather" || is_library(op);
  const auto is_into = [&](int source) { return form_.root(source) == into; };
  if (crosses && into >= 0 && std::any_of(sources.begin(), sources.end(), is_into)) {
    const int apart = operation(op, type, std::move(sources), std::move(scalars), line, -1, in_place);
    return operation("Copy", type, {apart}, {}, line, into, /*in_place=*/false);
  }
  const int result = made(type, into);
  Step& each = step(Step::Kind::kVector, line);
  each.op = op;
  each.result = result;
  each.sources = std::move(sources);
  each.scalars = std::move(scalars);
  each.count = length_text(type.length);
  each.elements = longest(type.length);
  each.in_place = in_place;
  return result;
}

int Flattener::filled(const Type& type, const std::string& value, int line, int into) {
  return operation("Duplicate", type, {}, {value}, line, into);
}

int Flattener::tile(const Expr& expr, int into) {
  switch (expr.kind) {
    case Expr::Kind::kName: {
      const int held = name(expr.text).tile;
      return into < 0 || into == held ? held
                                      : operation("Copy", expr.type, {held}, {}, expr.line, into, /*in_place=*/false);
    }
    case Expr::Kind::kUnary:
      if (expr.type.kind == Type::Kind::kMask)
        return operation("Not", expr.type, {tile(*expr.args[0])}, {}, expr.line, into);
      return operation("Muls", expr.type, {tile(*expr.args[0])}, {in_type("-1", expr.type.dtype)}, expr.line, into);
    case Expr::Kind::kBinary:
      return binary(expr, into);
    case Expr::Kind::kCall:
      return call(expr, into);
    case Expr::Kind::kLoad:
      return load(expr, into);
    case Expr::Kind::kElement:
      return element_slice(expr, into);
    case Expr::Kind::kNumber:
      break;
  }
  KG_CHECK(!"a number is no tile");
  return -1;
}

int Flattener::binary(const Expr& expr, int into) {
  const Expr &left = *expr.args[0], &right = *expr.args[1];
  if (expr.type.kind == Type::Kind::kMask) {
    if (expr.text != "&" && expr.text != "|") return compare(expr, into);
    const int a = tile(left), b = tile(right);
    return operation(expr.text == "&" ? "And" : "Or", expr.type, {a, b}, {}, expr.line, into);
  }
  const Type& type = expr.type;
  if (const int result = fused(expr, into); result >= 0) return result;
  if (expr.text == "**") {
    const int base = tile(left);
    if (right.number == 0.5) return operation("Sqrt", type, {base}, {}, expr.line, into);
    if (right.number == 2) return operation("Mul", type, {base, base}, {}, expr.line, into);
    const int squared = operation("Mul", type, {base, base}, {}, expr.line, -1);
    return operation("Mul", type, {squared, right.number == 3 ? base : squared}, {}, expr.line, into);
  }
  const bool both = left.type.is_tile() && right.type.is_tile();
  if (both) {
    const int a = tile(left), b = tile(right);
    const char* op = expr.text == "+" ? "Add" : expr.text == "-" ? "Sub" : expr.text == "*" ? "Mul" : "Div";
    return operation(op, type, {a, b}, {}, expr.line, into);
  }
  const bool tile_first = left.type.is_tile();
  const Expr& number = tile_first ? right : left;
  const int source = tile(tile_first ? left : right);
  if (expr.text == "+") return operation("Adds", type, {source}, {argument(number, type.dtype)}, expr.line, into);
  if (expr.text == "*") return operation("Muls", type, {source}, {argument(number, type.dtype)}, expr.line, into);
  if (expr.text == "-" && tile_first)
    return operation("Adds", type, {source}, {in_type("-" + grouped(bare_argument(number, type.dtype)), type.dtype)},
                     expr.line, into);
  if (expr.text == "-") {
    const int negative = operation("Muls", type, {source}, {in_type("-1", type.dtype)}, expr.line, -1);
    return operation("Adds", type, {negative}, {argument(number, type.dtype)}, expr.line, into);
  }
  if (tile_first)
    return operation("Muls", type, {source},
                     {in_type("1.0f / " + grouped(bare_argument(number, type.dtype)), type.dtype)}, expr.line, into);
  const int numerator = filled(type, argument(number, type.dtype), expr.line, -1);
  return operation("Div", type, {numerator, source}, {}, expr.line, into);
}

// a + b * c, where a is computed here and can be added to: one instruction for the product and the sum. -1: not so.
int Flattener::fused(const Expr& expr, int into) {
  const auto is_product = [](const Expr& e) { return e.kind == Expr::Kind::kBinary && e.text == "*"; };
  const auto is_computed = [](const Expr& e) { return e.kind == Expr::Kind::kBinary && e.type.is_tile(); };
  const bool real = expr.type.dtype == proto::FLOAT32 || expr.type.dtype == proto::FLOAT16;
  if (!real || (expr.text != "+" && expr.text != "-")) return -1;
  const bool turned = expr.text == "+" && !is_product(*expr.args[1]);
  const Expr &base = *expr.args[turned ? 1 : 0], &product = *expr.args[turned ? 0 : 1];
  if (!product.type.is_tile() || !is_product(product) || !is_computed(base)) return -1;
  const Expr &a = *product.args[0], &b = *product.args[1];
  const bool both = a.type.is_tile() && b.type.is_tile();
  if ((both && expr.text == "-") || (into >= 0 && reads(product, into))) return -1;
  const int sums = tile(base, into);
  const auto add = [&](const char* op, std::vector<int> sources, std::vector<std::string> scalars) {
    sources.push_back(sums);
    const int result = operation(op, expr.type, std::move(sources), std::move(scalars), expr.line, sums);
    return result;
  };
  if (both) {
    const int left = tile(a), right = tile(b);
    return add("MulAddDst", {left, right}, {});
  }
  const Expr &vector = a.type.is_tile() ? a : b, &number = a.type.is_tile() ? b : a;
  const int source = tile(vector);
  if (expr.text == "+") return add("Axpy", {source}, {argument(number, expr.type.dtype)});
  const std::string negative = "-" + grouped(bare_argument(number, expr.type.dtype));
  return add("Axpy", {source}, {in_type(negative, expr.type.dtype)});
}

int Flattener::compare(const Expr& expr, int into) {
  static const std::map<std::string, std::pair<const char*, const char*>> kModes = {
      {"<", {"LT", "GT"}},  {"<=", {"LE", "GE"}}, {">", {"GT", "LT"}},
      {">=", {"GE", "LE"}}, {"==", {"EQ", "EQ"}}, {"!=", {"NE", "NE"}}};
  const auto& [straight, turned] = kModes.at(expr.text);
  const Expr &left = *expr.args[0], &right = *expr.args[1];
  if (left.type.is_tile() && right.type.is_tile()) {
    const int a = whole(tile(left), left.type, expr.line), b = whole(tile(right), right.type, expr.line);
    return operation("Compare", expr.type, {a, b}, {straight}, expr.line, into, /*in_place=*/false);
  }
  const bool tile_first = left.type.is_tile();
  const Expr& vector = tile_first ? left : right;
  const int source = whole(tile(vector), vector.type, expr.line);
  const std::string number = argument(tile_first ? right : left, vector.type.dtype);
  return operation("CompareScalar", expr.type, {source}, {number, tile_first ? straight : turned}, expr.line, into,
                   /*in_place=*/false);
}

int Flattener::convert(int source, const Type& type, proto::DType to, int line, int into) {
  const proto::DType from = form_.tile(source).dtype;
  const auto cast = [&](int tile, proto::DType target, const char* mode, int where) {
    Type result = type;
    result.dtype = target;
    return operation("Cast", result, {tile}, {mode}, line, where, /*in_place=*/false);
  };
  if (from == to) {
    Type same = type;
    same.dtype = to;
    return into < 0 || into == source ? source : operation("Copy", same, {source}, {}, line, into, /*in_place=*/false);
  }
  const bool small = to == proto::INT8 || to == proto::UINT8 || to == proto::BOOL;
  const bool from_small = from == proto::INT8 || from == proto::UINT8 || from == proto::BOOL;
  if (small)
    return cast(from == proto::FLOAT16 ? source : cast(source, proto::FLOAT16, "CAST_RINT", -1), to, "CAST_RINT", into);
  if (from_small) {
    const int middle = cast(source, proto::FLOAT16, "CAST_NONE", to == proto::FLOAT16 ? into : -1);
    return to == proto::FLOAT16 ? middle : convert(middle, type, to, line, into);
  }
  if (from == proto::FLOAT16 && to == proto::BFLOAT16)
    return cast(cast(source, proto::FLOAT32, "CAST_NONE", -1), to, "CAST_RINT", into);
  if (from == proto::INT16 && to == proto::INT32)
    return cast(cast(source, proto::FLOAT32, "CAST_NONE", -1), to, "CAST_RINT", into);
  if ((from == proto::INT32 || from == proto::INT16) && to == proto::FLOAT16)
    return cast(cast(source, proto::FLOAT32, "CAST_NONE", -1), to, "CAST_RINT", into);
  const bool to_whole = to == proto::INT32 || to == proto::INT16 || to == proto::INT64;
  const bool from_whole = from == proto::INT32 || from == proto::INT16 || from == proto::INT64;
  const bool narrows = to == proto::FLOAT16 || to == proto::BFLOAT16 || (from == proto::INT32 && to == proto::FLOAT32);
  const char* mode = to_whole && !from_whole ? "CAST_TRUNC" : narrows ? "CAST_RINT" : "CAST_NONE";
  return cast(source, to, mode, into);
}

}  // namespace kg::dsl
