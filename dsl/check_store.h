#pragma once

#include "dsl/checking.h"

namespace kg::dsl {

// Stores, scratch tensors, and the visibility of other cores' stores.
void check_store(Checking& in, Statement& statement);
void check_scratch(Checking& in, Statement& statement);
// Records the scratch tensors that a statement loads.
void note_loads(Checking& in, const Statement& statement);
// From here on every core sees the others' earlier stores.
void pass_barrier(Checking& in);

}  // namespace kg::dsl
