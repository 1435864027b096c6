#pragma once

#include "dsl/row_atoms.h"

namespace kg::dsl {

// The names that an atom reads, sorted into numbers, tensors and rows. `rows`: the visible ones.
void note_names(const std::map<std::string, int>& rows, Statement& statement, Atom& atom);
// Numbers that are set more than once are saved for the passes that compute a row again: the atom reads copies, which
// `atoms` sets before it.
void keep_numbers(RowCutting& cutting, const std::map<std::string, int>& rows, Atom& atom, std::vector<Atom>& atoms);

}  // namespace kg::dsl
