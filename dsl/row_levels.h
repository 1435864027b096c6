#pragma once

#include "dsl/row_atoms.h"

namespace kg::dsl {

// The tensors that are written in place of an input, with that input's name.
using Overwritten = std::map<std::string, std::string>;

// Gives every atom from `first` on the number of its pass over the rows (-1: before all passes), and finds sums that
// need no separate pass. Returns the number of passes.
int number_passes(std::vector<Atom>& atoms, std::size_t first, const Overwritten& overwritten);

}  // namespace kg::dsl
