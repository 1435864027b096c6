#pragma once

#include <string>

#include "npu/scalar/image.h"

namespace kg::npu {

// The calls that a kernel's object may leave to the runtime: the kgnpu_* functions of the headers and the few functions
// that the compiler itself calls. Null: unknown name.
scalar::RuntimeCall find_runtime_call(const std::string& name);

}  // namespace kg::npu
