#pragma once

#include "dsl/row_atoms.h"

namespace kg::dsl {

// The tensors that are written where an input lies, with that input's name.
using Overwritten = std::map<std::string, std::string>;

// Gives every atom from `first` on the number of its pass over the rows (-1: before them all), and finds the sums that
// need no pass of their own. Returns how many passes there are.
int number_passes(std::vector<Atom>& atoms, std::size_t first, const Overwritten& overwritten);

}  // namespace kg::dsl
