#pragma once

#include <cstdint>
#include <vector>

#include "dsl/check.h"

namespace kg::dsl {

// Theory of operation. A program may say `a = load x[r, :]` however long the row is. If UB cannot hold all tiles that
// live at the same time, rows of this length and more are cut: this pass rewrites the program, from tree to tree, with
// loops over tiles of the row. Its result could have been written by hand; every later pass sees no difference.
//
// A block of statements becomes a list of atoms (row_atoms.h): numbers, rows, numbers that reduce a row, stores.
// A number that reduces a row is known only after the whole row was seen, so whatever depends on it belongs to a later
// pass over the row; these passes are numbered (row_levels.h). In each pass the rows that its reductions
// and stores need are computed again from the loads, tile by tile (row_passes.h): rows are never kept.
//
//   a = load x[r, :]                 for t in tiles(C):  a = load x[r, t];  s = s + sum(a)
//   store z[r, :] = a / sum(a)       for t in tiles(C):  a = load x[r, t];  store z[r, t] = a / s
//
// Two sums need no separate pass: exponentials below the row's maximum are summed with the largest so far and
// rescaled when a larger one comes, squares around the row's mean with the mean of each tile (Chan, Golub and LeVeque).
// cumsum and cumprod carry their last element to the next tile; under flip the tiles come from the other end.

// Lengths of rows that can be cut, longest first.
std::vector<std::int64_t> row_lengths(const Checked& checked);
// The program with all rows of at least `shortest` elements cut. `checked` was checked with rows of any length. Throws
// Refusal if something needs a whole row.
Program cut_rows(const Checked& checked, std::int64_t shortest);

}  // namespace kg::dsl
