#pragma once

#include "dsl/checking.h"

namespace kg::dsl {

// Stores, scratch tensors, and which cores see what others stored.
void check_store(Checking& in, Statement& statement);
void check_scratch(Checking& in, Statement& statement);
// Remembers the scratch tensors that a statement loads.
void note_loads(Checking& in, const Statement& statement);
// From here on every core sees what the others stored before.
void pass_barrier(Checking& in);

}  // namespace kg::dsl
