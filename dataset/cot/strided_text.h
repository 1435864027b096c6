#pragma once

#include <string>

#include "dsl/form.h"

namespace kg::dataset::cot {

// The text of the compact kernel of a form with slots: UB is one tensor of floats, each tile a part of it that is
// declared before its first use, slots are numbered in text order, and the parameters of equal copies
// have a name.
std::string strided_text(const std::string& source, const dsl::Form& form);

}  // namespace kg::dataset::cot
