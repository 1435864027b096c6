#pragma once

#include <string>

#include "dsl/flattening.h"

namespace kg::dsl {

// Parts of tiles. A part that begins with a whole block of 32 bytes is used in place; any other is gathered.

// a[from:to:step] of a tile: returns the tile that holds it, `into` if given.
int slice_of(Flattening& flat, const Expr& expr, int into);
// A part of a tile that begins with the element `start` (C++), without its own place.
int new_view(Flattening& flat, int tile, const std::string& start, const Length& length);
// The tile itself, or a copy if it is a part of another: some instructions need a tile from its beginning.
int whole_tile(Flattening& flat, int tile, const Type& type, int line);
// 0, step, 2 step, ...: the byte offsets for a Gather, made once for all users of this step.
int offset_tile(Flattening& flat, std::int64_t step, std::int64_t count, int line);
bool views_what_changes(const Flattening& flat, const Expr& expr);
// True if the expression reads this tile, or a part of it.
bool reads(const Flattening& flat, const Expr& expr, int tile);

}  // namespace kg::dsl
