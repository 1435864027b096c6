#pragma once

#include <string>

#include "dataset/cot/instance.h"
#include "dataset/cot/kernel_facts.h"

namespace kg::dataset::cot {

// The text before a kernel in the default style: its constants, each product on the way to them, and the calls of each
// step.
std::string strided_reasoning(const Instance& instance, const Facts& facts);

}  // namespace kg::dataset::cot
