#pragma once

#include <vector>

#include "dsl/form.h"

namespace kg::dsl {

// The compact form has no queues: a barrier of all pipes stands where a step touches a tile that another pipe may still
// be using. True for each step in front of which one is needed.
std::vector<bool> barriers_before(const Form& form);

}  // namespace kg::dsl
