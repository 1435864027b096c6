#pragma once

#include <string>

#include "dsl/form.h"

namespace kg::dataset::cot {

// The compact kernel of a form with slots as it is read: UB is one tensor of floats, each tile a part of it that is
// declared where it is first used, slots are numbered in the order of the text, and the parameters of equal copies
// have a name.
std::string strided_text(const std::string& source, const dsl::Form& form);

}  // namespace kg::dataset::cot
