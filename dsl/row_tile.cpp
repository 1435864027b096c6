#include "dsl/row_tile.h"

#include "dsl/build_expr.h"
#include "dsl/copy_program.h"

namespace kg::dsl {
namespace {

ExprPtr length_of(const RowTile& tile, int line) { return call_expr(line, "len", {name_expr(line, tile.range)}); }

// The tile's first index within its row.
ExprPtr start_of(const RowTile& tile, int line, bool mirrored) {
  const ExprPtr start = call_expr(line, "start", {name_expr(line, tile.range)});
  if (!mirrored) return start;
  return binary_expr(line, "-", binary_expr(line, "-", whole_expr(line, tile.length), start), length_of(tile, line));
}

// The index of the tile from `offset` elements on; none: from the dimension's begin.
Index index_of(const RowTile& tile, const ExprPtr& offset, int line, bool mirrored) {
  const auto moved = [&](ExprPtr place) { return offset ? binary_expr(line, "+", place, copied(offset)) : place; };
  if (!mirrored) return {.at = moved(name_expr(line, tile.range))};
  const ExprPtr stop =
      binary_expr(line, "-", whole_expr(line, tile.length), call_expr(line, "start", {name_expr(line, tile.range)}));
  return {.at = moved(start_of(tile, line, mirrored)), .to = moved(stop), .slice = true};
}

// The indices of a load or store of a row, for the tile: those before the row's, and one that runs over all
// later dimensions as if they were one.
std::vector<Index> place_of(const RowTile& tile, const Region& region, const std::vector<Index>& indices,
                            const Parameter& parameter, int line, bool mirrored) {
  std::vector<Index> made;
  for (std::size_t d = 0; d < region.vector; ++d) made.push_back({.at = copied(indices[d].at)});
  std::int64_t behind = 1;
  for (std::size_t d = region.vector + 1; d < indices.size(); ++d)
    for (std::size_t e = d; e < (d + 1 == indices.size() ? parameter.shape.size() : d + 1); ++e)
      behind *= parameter.shape[e];
  ExprPtr offset = indices[region.vector].at;
  if (offset && behind != 1) offset = binary_expr(line, "*", offset, whole_expr(line, behind));
  made.push_back(index_of(tile, offset, line, mirrored));
  return made;
}

}  // namespace

const std::string& tile_name(RowTile& tile, const std::string& row, bool mirrored) {
  std::string& name = tile.names[{row, mirrored}];
  if (name.empty()) name = tile.cutting.taken.insert(row).second ? row : tile.cutting.fresh(row);
  return name;
}

ExprPtr in_tile(RowTile& tile, const ExprPtr& expr, bool mirrored) {
  if (!expr) return nullptr;
  if (!tile.cutting.is_row(expr->type)) return copied(expr);
  const int line = expr->line;
  if (expr->kind == Expr::Kind::kName) return name_expr(line, tile_name(tile, expr->text, mirrored));
  auto made = std::make_shared<Expr>(*expr);
  if (expr->kind == Expr::Kind::kLoad) {
    made->indices = place_of(tile, expr->region, expr->indices,
                             tile.cutting.parameters[static_cast<std::size_t>(expr->region.tensor)], line, mirrored);
    made->pad = copied(expr->pad);
    return made;
  }
  const bool call = expr->kind == Expr::Kind::kCall;
  if (call && expr->text == "arange") {
    made->args = {length_of(tile, line)};
    return binary_expr(line, "+", made, start_of(tile, line, mirrored));
  }
  const bool turned = call && expr->text == "flip" ? !mirrored : mirrored;
  for (ExprPtr& arg : made->args) arg = in_tile(tile, arg, turned);
  if (call && (expr->text == "zeros" || expr->text == "full")) made->args[0] = length_of(tile, line);
  return made;
}

Statement in_tile(RowTile& tile, const Statement& statement, bool mirrored) {
  Statement made = copied(std::vector<Statement>{statement})[0];
  const bool places_row = statement.kind == Statement::Kind::kStore && !statement.region.element &&
                          statement.region.length.factor == 0 &&
                          statement.region.length.constant >= tile.cutting.shortest;
  if (places_row)
    made.indices =
        place_of(tile, statement.region, statement.indices,
                 tile.cutting.parameters[static_cast<std::size_t>(statement.region.tensor)], statement.line, mirrored);
  if (statement.value) made.value = in_tile(tile, statement.value, mirrored);
  if (statement.kind == Statement::Kind::kBuffer && tile.cutting.is_row(statement.type)) {
    made.kind = Statement::Kind::kAssign;
    if (statement.value->type.is_scalar())
      made.value = call_expr(statement.line, "full", {length_of(tile, statement.line), made.value});
  }
  if (tile.cutting.is_row(statement.type)) made.name = tile_name(tile, statement.name, mirrored);
  made.body.clear();
  made.otherwise.clear();
  for (const Statement& each : statement.body) made.body.push_back(in_tile(tile, each, mirrored));
  for (const Statement& each : statement.otherwise) made.otherwise.push_back(in_tile(tile, each, mirrored));
  return made;
}

}  // namespace kg::dsl
