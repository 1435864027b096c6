#include "dsl/flatten_view.h"

#include "dsl/element.h"
#include "dsl/flatten_scalar.h"
#include "dsl/flatten_tile.h"
#include "dsl/flatten_vector.h"

namespace kg::dsl {
namespace {

// Its text has the same value from here to the end of its block.
bool is_steady(const Flattening& flat, const Linear& value) {
  for (const auto& [term, coefficient] : value.terms) {
    const auto changes = flat.changes.find(term);
    if (changes != flat.changes.end() && changes->second > 1) return false;
    bool known = false;
    for (const auto& scope : flat.scopes) known |= scope.contains(term);
    if (!known) return false;
  }
  return true;
}

}  // namespace

int slice_of(Flattening& flat, const Expr& expr, int into) {
  const int source = tile_of(flat, *expr.args[0]);
  const std::int64_t start = expr.region.offset.constant, step = expr.region.extent,
                     count = expr.region.length.constant;
  const bool fixed = expr.region.offset.is_constant();
  const std::int64_t bytes = element_bytes(expr.type.dtype);
  // A part that begins with a whole block of 32 bytes is used in place; any other is gathered by byte offsets that
  // are made once.
  if (step == 1 && is_steady(flat, expr.region.offset) && unit_of(flat, expr.region.offset) * bytes % 32 == 0) {
    const std::string at = fixed ? std::to_string(start) : scalar_of(flat, *expr.indices[0].at).text;
    const int part = new_view(flat, source, at, expr.region.length);
    return into < 0 ? part : operation(flat, "Copy", expr.type, {part}, {}, expr.line, into, /*in_place=*/false);
  }
  const int where = offset_tile(flat, step * bytes, count, expr.line);
  const std::string base = fixed ? std::to_string(start * bytes)
                                 : "static_cast<uint32_t>(" + grouped(scalar_of(flat, *expr.indices[0].at).text) +
                                       " * " + std::to_string(bytes) + ")";
  return operation(flat, "Gather", expr.type, {source, where}, {base}, expr.line, into, /*in_place=*/false);
}

int new_view(Flattening& flat, int tile, const std::string& start, const Length& length) {
  const int made = flat.new_tile("", flat.form.tile(tile).dtype, length, Tile::Home::kWork);
  const Tile& of = flat.form.tile(tile);
  flat.form.tile(made).view_of = flat.form.root(tile);
  flat.form.tile(made).start = of.view_of < 0 || of.start == "0" ? start
                               : start == "0"                    ? of.start
                                                                 : of.start + " + " + start;
  return made;
}

int whole_tile(Flattening& flat, int tile, const Type& type, int line) {
  if (flat.form.tile(tile).view_of < 0) return tile;
  return operation(flat, "Copy", type, {tile}, {}, line, -1, /*in_place=*/false);
}

bool views_what_changes(const Flattening& flat, const Expr& expr) {
  if (expr.kind != Expr::Kind::kElement || !expr.type.is_tile()) return false;
  const Expr& of = *expr.args[0];
  return of.kind == Expr::Kind::kName ? flat.name(of.text).changes : views_what_changes(flat, of);
}

bool reads(const Flattening& flat, const Expr& expr, int tile) {
  if (expr.kind == Expr::Kind::kName && (expr.type.is_tile() || expr.type.kind == Type::Kind::kMask))
    return flat.form.root(flat.name(expr.text).tile) == tile;
  for (const ExprPtr& arg : expr.args)
    if (reads(flat, *arg, tile)) return true;
  for (const Index& index : expr.indices)
    for (const ExprPtr& part : {index.at, index.to})
      if (part && reads(flat, *part, tile)) return true;
  return false;
}

int offset_tile(Flattening& flat, std::int64_t step, std::int64_t count, int line) {
  // The longest tile with this step serves all.
  const std::string key = std::to_string(step);
  if (const auto found = flat.offset_tiles.find(key); found != flat.offset_tiles.end()) {
    Tile& held = flat.form.tile(found->second);
    if (held.capacity < count) {
      held.capacity = count;
      for (Step& each : flat.form.steps)
        if (each.result == found->second) {
          each.elements = count;
          each.count = std::to_string(count);
        }
    }
    return found->second;
  }
  const int made = flat.new_tile("offsets", proto::INT32, {.constant = count}, Tile::Home::kWork);
  flat.form.tile(made).named = true;
  Step index;
  index.kind = Step::Kind::kVector;
  index.line = line;
  index.op = "ArithProgression";
  index.result = made;
  index.scalars = {"0", std::to_string(step)};
  index.count = std::to_string(count);
  index.elements = count;
  flat.form.steps.insert(flat.form.steps.begin() + static_cast<std::ptrdiff_t>(flat.hoisted++), index);
  flat.offset_tiles[key] = made;
  return made;
}

}  // namespace kg::dsl
