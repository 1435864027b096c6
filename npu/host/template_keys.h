#pragma once

#include <cstdint>
#include <string>

namespace kg::npu {

// "<half, 2, 1>": the arguments of a kernel that is a template, for a tiling key that the host side has asked for;
// empty: it is none.
std::string template_arguments(std::uint64_t tiling_key);

// Whether the kernel is one.
bool has_template_parameters();

}  // namespace kg::npu
