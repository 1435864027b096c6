#pragma once

#include <vector>

#include "dsl/flattening.h"

namespace kg::dsl {

// Appends the steps of statements. Loops call it for their bodies, with the body's scope in place.
void flatten_block(Flattening& flat, const std::vector<Statement>& body);

}  // namespace kg::dsl
