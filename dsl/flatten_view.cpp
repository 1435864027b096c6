#include "dsl/flatten.h"

// Parts of tiles: used where they lie if they begin with a whole block of 32 bytes, else gathered.
namespace kg::dsl {

int Flattener::element_slice(const Expr& expr, int into) {
  const int source = tile(*expr.args[0]);
  const std::int64_t start = expr.region.offset.constant, step = expr.region.extent,
                     count = expr.region.length.constant;
  const bool fixed = expr.region.offset.is_constant();
  const std::int64_t bytes = element_bytes(expr.type.dtype);
  // What begins with a whole block of 32 bytes is used where it lies; anything else is gathered by byte offsets that
  // are made once.
  if (step == 1 && is_steady(expr.region.offset) && unit_of(expr.region.offset) * bytes % 32 == 0) {
    const std::string at = fixed ? std::to_string(start) : scalar(*expr.indices[0].at).text;
    const int part = view(source, at, expr.region.length);
    return into < 0 ? part : operation("Copy", expr.type, {part}, {}, expr.line, into, /*in_place=*/false);
  }
  const int where = offsets(step * bytes, count, expr.line)[0];
  const std::string base = fixed ? std::to_string(start * bytes)
                                 : "static_cast<uint32_t>(" + grouped(scalar(*expr.indices[0].at).text) + " * " +
                                       std::to_string(bytes) + ")";
  return operation("Gather", expr.type, {source, where}, {base}, expr.line, into, /*in_place=*/false);
}

int Flattener::view(int tile, const std::string& start, const Length& length) {
  const int made = new_tile("", form_.tile(tile).dtype, length, Tile::Home::kWork);
  const Tile& of = form_.tile(tile);
  form_.tile(made).view_of = form_.root(tile);
  form_.tile(made).start = of.view_of < 0 || of.start == "0" ? start
                           : start == "0"                    ? of.start
                                                             : of.start + " + " + start;
  return made;
}

int Flattener::whole(int tile, const Type& type, int line) {
  if (form_.tile(tile).view_of < 0) return tile;
  return operation("Copy", type, {tile}, {}, line, -1, /*in_place=*/false);
}

// Its text has one value from where it stands to the end of its block.
bool Flattener::is_steady(const Linear& value) const {
  for (const auto& [term, coefficient] : value.terms) {
    const auto changes = changes_.find(term);
    if (changes != changes_.end() && changes->second > 1) return false;
    bool known = false;
    for (const auto& scope : scopes_) known |= scope.contains(term);
    if (!known) return false;
  }
  return true;
}

bool Flattener::views_what_changes(const Expr& expr) const {
  if (expr.kind != Expr::Kind::kElement || !expr.type.is_tile()) return false;
  const Expr& of = *expr.args[0];
  return of.kind == Expr::Kind::kName ? name(of.text).changes : views_what_changes(of);
}

bool Flattener::reads(const Expr& expr, int tile) const {
  if (expr.kind == Expr::Kind::kName && (expr.type.is_tile() || expr.type.kind == Type::Kind::kMask))
    return form_.root(name(expr.text).tile) == tile;
  for (const ExprPtr& arg : expr.args)
    if (reads(*arg, tile)) return true;
  for (const Index& index : expr.indices)
    for (const ExprPtr& part : {index.at, index.to})
      if (part && reads(*part, tile)) return true;
  return false;
}

std::vector<int> Flattener::offsets(std::int64_t step, std::int64_t count, int line) {
  // Of one step the longest tile serves all.
  const std::string key = std::to_string(step);
  if (const auto found = offset_tiles_.find(key); found != offset_tiles_.end()) {
    Tile& held = form_.tile(found->second);
    if (held.capacity < count) {
      held.capacity = count;
      for (Step& each : form_.steps)
        if (each.result == found->second) {
          each.elements = count;
          each.count = std::to_string(count);
        }
    }
    return {found->second};
  }
  const int made = new_tile("offsets", proto::INT32, {.constant = count}, Tile::Home::kWork);
  form_.tile(made).named = true;
  Step index;
  index.kind = Step::Kind::kVector;
  index.line = line;
  index.op = "ArithProgression";
  index.result = made;
  index.scalars = {"0", std::to_string(step)};
  index.count = std::to_string(count);
  index.elements = count;
  form_.steps.insert(form_.steps.begin() + static_cast<std::ptrdiff_t>(hoisted_++), index);
  offset_tiles_[key] = made;
  return {made};
}

}  // namespace kg::dsl
