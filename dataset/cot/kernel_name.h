#pragma once

#include <string>
#include <string_view>

#include "dataset/cot/composition.h"

namespace kg::dataset::cot {

// The kernel's name in the prompt of task `id`; it follows only from structure and id. 40 % name the operators
// and end like the public samples ("exp_add_custom"), 40 % reveal nothing about the operators
// ("custom_op", "kernel_17", "rotalu_op"): the name has to be read in the prompt.
std::string kernel_name(const Structure& structure, std::string_view id);

}  // namespace kg::dataset::cot
