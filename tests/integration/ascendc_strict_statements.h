#pragma once

#include <string>
#include <vector>

#include "ascendc_strict_calls.h"

namespace kg::npu::testing {

// Statements over the prelude's variables that no table of forms gives.
std::vector<std::string> other_calls();      // right: calls over several types, and objects
std::vector<GeneratedCall> wrong_objects();  // wrong uses of queues, buffers and tensors
std::vector<GeneratedCall> wrong_names();    // wrong enumerators, signatures, types, and calls that do not exist

}  // namespace kg::npu::testing
