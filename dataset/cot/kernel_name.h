#pragma once

#include <string>
#include <string_view>

#include "dataset/cot/composition.h"

namespace kg::dataset::cot {

// What the prompt of task `id` calls its kernel; it follows from structure and id alone. Two in five name the operators
// and end as the public samples do ("exp_add_custom"), two in five name nothing that the operators would tell
// ("custom_op", "kernel_17", "rotalu_op"): the name has to be read in the prompt.
std::string kernel_name(const Structure& structure, std::string_view id);

}  // namespace kg::dataset::cot
