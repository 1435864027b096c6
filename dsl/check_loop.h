#pragma once

#include <vector>

#include "dsl/checking.h"

namespace kg::dsl {

// Loops, with the sizes and cores that divide them.
void check_loop(Checking& in, Statement& statement);
// A loop head: the variable of one of its items.
Variable loop_variable(Checking& in, LoopItem& item, const Statement& statement);
// A loop body, with the variables of its head.
void check_body(Checking& in, Statement& statement, const std::vector<Variable>& variables);
void check_tile_size(Checking& in, Statement& statement);
void check_launch(Checking& in, Statement& statement);

}  // namespace kg::dsl
