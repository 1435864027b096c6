#pragma once

#include "dsl/row_atoms.h"

namespace kg::dsl {

// A tile of a row: what the loop's range `range` selects, or, for rows under flip, the tile at the same distance from
// the row's other end.
struct RowTile {
  RowCutting& cutting;
  std::string range;
  std::int64_t length = 0;                                         // length of the row
  std::map<std::pair<std::string, bool>, std::string> names = {};  // of tiles, by row and end; each pass has its own
};

// The expression, or all of a statement's, for a tile instead of the row; `expr` stays unchanged.
ExprPtr in_tile(RowTile& tile, const ExprPtr& expr, bool mirrored);
Statement in_tile(RowTile& tile, const Statement& statement, bool mirrored);
// The name of the row's tile.
const std::string& tile_name(RowTile& tile, const std::string& row, bool mirrored);

// Calls visit(name, mirrored) for the rows that an expression reads, mirrored or not.
template <typename Visit>
void for_each_row(const RowCutting& cutting, const ExprPtr& expr, bool mirrored, const Visit& visit) {
  if (!expr) return;
  if (expr->kind == Expr::Kind::kName && cutting.is_row(expr->type)) visit(expr->text, mirrored);
  const bool turned = expr->kind == Expr::Kind::kCall && expr->text == "flip" ? !mirrored : mirrored;
  for (const ExprPtr& arg : expr->args) for_each_row(cutting, arg, turned, visit);
}

}  // namespace kg::dsl
