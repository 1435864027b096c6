#pragma once

#include "dsl/row_atoms.h"

namespace kg::dsl {

// The statements of a block, rewritten: its numbers in order, and in between loops over tiles for the passes over its
// rows. Atoms before `first` are rows of the enclosing blocks, computed where they are read.
std::vector<Statement> row_passes(RowCutting& cutting, std::vector<Atom>& atoms, std::size_t first, int passes);

}  // namespace kg::dsl
