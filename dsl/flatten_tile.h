#pragma once

#include "dsl/flattening.h"

namespace kg::dsl {

// Appends what computes an expression whose value is a tile or mask. Returns the index of the tile that holds the
// value: `into` if that is given, else a new tile or one that holds the value already.
int tile_of(Flattening& flat, const Expr& expr, int into = -1);

}  // namespace kg::dsl
