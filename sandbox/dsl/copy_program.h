#pragma once

#include <vector>

#include "sandbox/dsl/program.h"

namespace kg::sandbox::dsl {

// A deep copy: check() writes into the tree, and one program is checked for many tile sizes.
std::vector<Statement> copied(const std::vector<Statement>& body);

}  // namespace kg::sandbox::dsl
