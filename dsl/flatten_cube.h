#pragma once

#include "dsl/flattening.h"

namespace kg::dsl {

// Statements of the cube cores. flat.steps is form.cube here.
void flatten_matrix(Flattening& flat, const Statement& statement);  // l1: a matrix of GM to L1
void flatten_sums(Flattening& flat, const Statement& statement);    // l0c: begins a matrix of sums
void flatten_gemm(Flattening& flat, const Statement& statement);    // adds a product to sums
void store_sums(Flattening& flat, const Statement& statement);      // sums to GM

}  // namespace kg::dsl
