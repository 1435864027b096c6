#pragma once

#include <string>

#include "dataset/cot/instance.h"

namespace kg::dataset::cot {

// A prompt in the form of NPUKernelBench's kernel-only mode, in our words: role and format, requirements, an example,
// the API, the operator's steps, the case, the hardware, the template.
std::string kernel_only_prompt(const Instance& instance);

}  // namespace kg::dataset::cot
