#include "dsl/flatten_call.h"

#include "dsl/constant.h"
#include "dsl/flatten_scalar.h"
#include "dsl/flatten_tile.h"
#include "dsl/flatten_vector.h"
#include "dsl/flatten_view.h"
#include "dsl/functions.h"

namespace kg::dsl {
namespace {

// In elements: lower and upper limit for folding in a reduction, and the longest tile used for it.
constexpr std::int64_t kFold = 1024, kMostFolded = 16384, kFoldTo = 2048;

// A reduction takes seven cycles per repeat, an addition one: long tiles are first added up to shorter ones, whose
// length is stored in `elements`.
int folded(Flattening& flat, const std::string& op, int source, std::int64_t& elements, int line) {
  const auto part = [](std::int64_t length) {
    return Type{.kind = Type::Kind::kTile, .dtype = proto::FLOAT32, .length = {.constant = length}};
  };
  const auto join = [&](int a, std::int64_t from, std::int64_t length, int into) {
    const int b = new_view(flat, source, std::to_string(from), {.constant = length});
    return operation(flat, op, part(length), {a, b}, {}, line, into, /*in_place=*/false);
  };
  if (elements > 2 * kFoldTo && elements % kFoldTo == 0) {
    const int sums = join(source, kFoldTo, kFoldTo, -1);
    for (std::int64_t from = 2 * kFoldTo; from < elements; from += kFoldTo) join(sums, from, kFoldTo, sums);
    source = sums;
    elements = kFoldTo;
  }
  for (; elements >= kFold && elements <= 2 * kFoldTo && elements % 128 == 0; elements /= 2)
    source = join(source, elements / 2, elements / 2, -1);
  return source;
}

int scanned(Flattening& flat, const Expr& expr, int into) {
  const int source = tile_of(flat, *expr.args[0]);
  const std::int64_t most = longest(flat, expr.type.length);
  if (expr.text == "flip") {
    const int where = flat.new_tile("", proto::INT32, expr.type.length, Tile::Home::kWork);
    const std::string count = length_text(flat, expr.type.length);
    Type index = expr.type;
    index.dtype = proto::INT32;
    operation(flat, "ArithProgression", index, {}, {"(" + count + " - 1) * 4", "-4"}, expr.line, where);
    return operation(flat, "Gather", expr.type, {source, where}, {"0"}, expr.line, into, /*in_place=*/false);
  }
  const int where = offset_tile(flat, 4, most, expr.line);
  const int result = result_tile(flat, expr.type, into);
  const int behind = flat.new_tile("", proto::FLOAT32, {.constant = most + 8}, Tile::Home::kWork);
  const int other = flat.new_tile("", proto::FLOAT32, {.constant = most}, Tile::Home::kWork);
  Step& each = flat.step(Step::Kind::kVector, expr.line);
  each.op = expr.text == "cumsum" ? "CumulativeSum" : "CumulativeProduct";
  each.result = result;
  each.sources = {source, where};
  each.scratch = {behind, other};
  each.count = length_text(flat, expr.type.length);
  each.elements = most;
  return result;
}

int where_tile(Flattening& flat, const Expr& expr, int into) {
  const Expr &yes = *expr.args[1], &no = *expr.args[2];
  const int mask = tile_of(flat, *expr.args[0]);
  const int chosen = yes.type.is_tile() ? tile_of(flat, yes)
                                        : filled(flat, expr.type, argument(flat, yes, expr.type.dtype), expr.line, -1);
  if (no.type.is_tile()) {
    const int other = tile_of(flat, no);
    return operation(flat, "Select", expr.type, {mask, chosen, other}, {}, expr.line, into, /*in_place=*/false);
  }
  return operation(flat, "SelectScalar", expr.type, {mask, chosen}, {argument(flat, no, expr.type.dtype)}, expr.line,
                   into,
                   /*in_place=*/false);
}

}  // namespace

int reduced(Flattening& flat, const Expr& expr, int into) {
  const Expr& arg = *expr.args[0];
  const int given = tile_of(flat, arg);
  int source = convert(flat, given, arg.type, proto::FLOAT32, expr.line, -1);
  std::int64_t most = longest(flat, arg.type.length);
  const bool sum = expr.text == "sum" || expr.text == "mean";
  std::string count = length_text(flat, arg.type.length);
  if (arg.type.length.factor == 0 && most >= kFold && most <= kMostFolded) {
    source = folded(flat, sum ? "Add" : expr.text == "max" ? "Max" : "Min", source, most, expr.line);
    count = std::to_string(most);
  }
  // A partial result for each repeat of 64 elements; extremes keep their index beside it.
  const std::int64_t partial = ceil_div(most, 64) * (sum ? 1 : 2);
  const int scratch = flat.new_tile("", proto::FLOAT32, {.constant = partial}, Tile::Home::kWork);
  const int result = into >= 0 ? into : flat.new_tile("", proto::FLOAT32, {.constant = 8}, Tile::Home::kWork);
  Step& made = flat.step(Step::Kind::kVector, expr.line);
  made.op = sum ? "ReduceSum" : expr.text == "max" ? "ReduceMax" : "ReduceMin";
  made.result = result;
  made.sources = {source};
  made.scratch = {scratch};
  made.count = count;
  made.elements = most;
  return result;
}

int call_tile(Flattening& flat, const Expr& expr, int into) {
  const Function* function = find_function(expr.text, expr.args.size());
  const Type& type = expr.type;
  if (function->kind == Function::Kind::kElementwise) {
    std::vector<std::string> scalars;
    for (std::size_t i = 1; i < expr.args.size(); ++i)
      scalars.push_back(bare_argument(flat, *expr.args[i], type.dtype));
    return elementwise(flat, *function, type, tile_of(flat, *expr.args[0]), scalars, expr.line, into);
  }
  if (function->kind == Function::Kind::kPair) {
    const std::string op = expr.text == "max" ? "Max" : "Min";
    const Expr &left = *expr.args[0], &right = *expr.args[1];
    if (left.type.is_tile() && right.type.is_tile()) {
      const int a = tile_of(flat, left), b = tile_of(flat, right);
      return operation(flat, op, type, {a, b}, {}, expr.line, into);
    }
    const int source = tile_of(flat, left.type.is_tile() ? left : right);
    return operation(flat, op + "s", type, {source}, {argument(flat, left.type.is_tile() ? right : left, type.dtype)},
                     expr.line, into);
  }
  if (function->kind == Function::Kind::kScan) return scanned(flat, expr, into);
  if (function->kind == Function::Kind::kCast)
    return convert(flat, tile_of(flat, *expr.args[0]), expr.args[0]->type, type.dtype, expr.line, into);
  if (expr.text == "where") return where_tile(flat, expr, into);
  if (expr.text == "gather") {
    const int source = tile_of(flat, *expr.args[0]);
    const Expr& where = *expr.args[1];
    const std::int64_t bytes = element_bytes(type.dtype);
    int scaled = where.kind == Expr::Kind::kName && bytes == 4 ? flat.name(where.text).scaled : -1;
    if (scaled < 0)
      scaled = operation(flat, "Muls", where.type, {tile_of(flat, where)}, {std::to_string(bytes)}, expr.line, -1);
    return operation(flat, "Gather", type, {source, scaled}, {"0"}, expr.line, into, /*in_place=*/false);
  }
  if (expr.text == "arange") return operation(flat, "ArithProgression", type, {}, {"0", "1"}, expr.line, into);
  return filled(flat, type, expr.text == "full" ? argument(flat, *expr.args[1], type.dtype) : in_type("0", type.dtype),
                expr.line, into);
}

}  // namespace kg::dsl
