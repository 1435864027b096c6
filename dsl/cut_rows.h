#pragma once

#include <cstdint>
#include <vector>

#include "dsl/check.h"

namespace kg::dsl {

// Theory of operation. A program may say `a = load x[r, :]` however long the row is. Where UB does not hold what lives
// at the same time, the rows of one length and more are cut: this pass writes the program anew, from tree to tree, with
// loops over tiles of the row. What it makes could have been written by hand; every later pass sees no difference.
//
// A block of statements becomes a list of atoms (row_atoms.h): numbers, rows, numbers that reduce a row, stores.
// A number that reduces a row is known once all of the row was seen, so that what depends on it belongs to a later
// pass over the row; the passes that follow are numbered (row_levels.h). In each pass the rows that its reductions
// and stores need are computed anew from the loads on, tile by tile (row_passes.h): rows are never kept.
//
//   a = load x[r, :]                 for t in tiles(C):  a = load x[r, t];  s = s + sum(a)
//   store z[r, :] = a / sum(a)       for t in tiles(C):  a = load x[r, t];  store z[r, t] = a / s
//
// Two sums need no pass of their own: exponentials below the row's maximum are summed with the largest so far and
// scaled when a larger one comes, squares around the row's mean with the mean of each tile (Chan, Golub and LeVeque).
// cumsum and cumprod carry their last element to the next tile; under flip the tiles come from the other end.

// Lengths of rows that can be cut, the longest first.
std::vector<std::int64_t> row_lengths(const Checked& checked);
// The program, with rows of `shortest` elements and more cut. `checked` was checked with rows of any length. Throws
// Refusal for what needs a whole row.
Program cut_rows(const Checked& checked, std::int64_t shortest);

}  // namespace kg::dsl
