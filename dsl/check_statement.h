#pragma once

#include <vector>

#include "dsl/checking.h"

namespace kg::dsl {

// Statements of any kind, in the order of the program.
void check_block(Checking& in, std::vector<Statement>& body);
void check_assignment(Checking& in, Statement& statement);

}  // namespace kg::dsl
