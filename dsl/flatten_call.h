#pragma once

#include <string>
#include <vector>

#include "dsl/flattening.h"

namespace kg::dsl {

struct Function;

// The DSL's functions on tiles, as instructions. Each returns the index of the result's tile: `into`, or a new one if
// that is -1.
int call_tile(Flattening& flat, const Expr& expr, int into);
// An elementwise function; `scalars` are its arguments after the tile.
int elementwise(Flattening& flat, const Function& function, const Type& type, int source,
                const std::vector<std::string>& scalars, int line, int into);
// sum, mean (its sum), max, min: the result is the tile's first element.
int reduced(Flattening& flat, const Expr& expr, int into);

}  // namespace kg::dsl
