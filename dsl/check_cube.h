#pragma once

#include <string>
#include <vector>

#include "dsl/checking.h"

namespace kg::dsl {

// A loop with gemm, which the cube cores run. in.cube.on is set while its body is checked.
void check_cube_loop(Checking& in, Statement& statement);
void check_cube_statement(Checking& in, Statement& statement);
// Checks a store of sums to `to`.
void check_store_sums(Checking& in, Statement& statement, const Parameter& to, const std::string& text);
// True if there are loads to L1, sums or products.
bool has_cube_work(const std::vector<Statement>& body);

}  // namespace kg::dsl
