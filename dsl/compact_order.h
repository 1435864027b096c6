#pragma once

#include <vector>

#include "dsl/form.h"

namespace kg::dsl {

// The compact form has no queues: instead, a barrier of all pipes precedes a step that touches a tile that another pipe
// may still be using. True for each step that needs a barrier before it.
std::vector<bool> barriers_before(const Form& form);

}  // namespace kg::dsl
