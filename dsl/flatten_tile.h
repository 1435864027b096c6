#pragma once

#include "dsl/flattening.h"

namespace kg::dsl {

// Appends the steps that compute an expression whose value is a tile or mask. Returns the index of the tile with the
// value: `into` if given, else a new tile or one that already holds the value.
int tile_of(Flattening& flat, const Expr& expr, int into = -1);

}  // namespace kg::dsl
