#pragma once

#include "npu/scalar/machine.h"

namespace kg::npu {

// printf of a kernel: the call that `machine` is making, `const char* format, ...`. Returns the number of characters.
void print_call(scalar::Machine& machine);

}  // namespace kg::npu
