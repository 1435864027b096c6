#pragma once

#include <string>

namespace kg::npu {

// The files beside a kernel's object: the same source compiled for cube cores, and the host function that launches it.
inline std::string cube_half(const std::string& object) { return object + ".cube"; }
inline std::string host_function_object(const std::string& object) { return object + ".host"; }

}  // namespace kg::npu
