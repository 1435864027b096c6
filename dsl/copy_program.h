#pragma once

#include <vector>

#include "dsl/program.h"

namespace kg::dsl {

// A deep copy: check() writes into the tree, and one program is checked for many tile sizes.
ExprPtr copied(const ExprPtr& expr);
std::vector<Statement> copied(const std::vector<Statement>& body);

// Whether a line of the program is the statement's, or of one within it.
bool holds(const Statement& statement, int line);

}  // namespace kg::dsl
