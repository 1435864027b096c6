#pragma once

#include "dsl/evaluate.h"

namespace kg::dsl {

// Statements of the cube cores, computed by definition.
void load_matrix(Evaluator& core, const Statement& statement);  // l1
void begin_sums(Evaluator& core, const Statement& statement);   // l0c
void add_product(Evaluator& core, const Statement& statement);  // gemm
void store_sums(Evaluator& core, const Statement& statement);

}  // namespace kg::dsl
