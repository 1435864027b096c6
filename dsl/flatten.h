#pragma once

#include "dsl/form.h"

namespace kg::dsl {

// Theory of operation. The tiling pass calls flatten() once for every tile size that it tries.
//
// In: a Form whose `checked` program has a type at every expression and a number for every extent. Out: the same Form
// with `tiles` (values in UB, L1 and L0C, without a place yet) and two lists of `steps` in three-address form: one for
// the vector cores, one for the cube cores. Loops and conditions stay, as pairs of steps; every expression is gone.
//
// One walk over the statements, in program order, appends steps to the list of the cores that run them. A
// loop with gemm switches to the cube cores' list for its body. Expressions turn into steps bottom up: tile_of()
// appends the steps that compute a tile and returns its number, scalar_of() returns the C++ text of a number and adds
// only what C++ cannot say in one expression (reductions, elements of tiles). Before the walk, flatten() counts how
// often each variable is set: a value that never changes needs no copy, and its parts can be used in place.
//
// Places of tiles, waits between cores, and copies across a block of 32 bytes are decided by later passes
// (initialise.h, process.h, unaligned.h).
//
// The state of the walk is in one Flattening (flattening.h). The functions are in
//   flatten_statement   assignments, stores, conditions     flatten_loop   loops, and how cores share them
//   flatten_tile        expressions whose value is a tile   flatten_scalar numbers, as C++ text
//   flatten_call        the DSL's functions on tiles        flatten_view   parts of tiles
//   flatten_copy        loads, and the places they select   flatten_cube   l1, l0c, gemm
//   flatten_vector      one vector instruction, conversions
void flatten(Form& form);

}  // namespace kg::dsl
