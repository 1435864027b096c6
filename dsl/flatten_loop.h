#pragma once

#include "dsl/flattening.h"

namespace kg::dsl {

// for i in lo..hi, for t in tiles(n): the steps of head, body and end, the same on every core.
void flatten_loop(Flattening& flat, const Statement& statement);
// for ... in cores(...): each of flat.cores processes its share of all pieces.
void flatten_parallel_loop(Flattening& flat, const Statement& statement);

}  // namespace kg::dsl
