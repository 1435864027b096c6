#pragma once

#include <cstdint>
#include <string>

namespace kg::npu {

// "<half, 2, 1>": the template arguments of a kernel for the tiling key requested by the host side;
// empty: it is not a template.
std::string template_arguments(std::uint64_t tiling_key);

// Whether the kernel is a template.
bool has_template_parameters();

}  // namespace kg::npu
