#pragma once

#include <vector>

#include "dsl/program.h"

namespace kg::dsl {

// A deep copy: check() writes into the tree, and one program is checked for many tile sizes.
std::vector<Statement> copied(const std::vector<Statement>& body);

}  // namespace kg::dsl
