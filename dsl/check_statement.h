#pragma once

#include <vector>

#include "dsl/checking.h"

namespace kg::dsl {

// Checks statements of any kind, in program order.
void check_statement(Checking& in, Statement& statement);
void check_block(Checking& in, std::vector<Statement>& body);
void check_assignment(Checking& in, Statement& statement);

}  // namespace kg::dsl
