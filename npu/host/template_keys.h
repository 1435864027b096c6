#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kg::npu {

// "<half, 2, 1>": the template arguments of a kernel for the tiling key requested by the host side;
// empty: it is not a template.
std::string template_arguments(std::uint64_t tiling_key);
// For a message: "D_T_X = float, TIMES = 2".
std::string named_template_arguments(std::uint64_t tiling_key);

// The kernel type, an ASCENDC_TPL_ constant, that its arguments or its selection give.
std::optional<std::uint64_t> template_task_type(std::uint64_t tiling_key);

// Whether the kernel is a template.
bool has_template_parameters();

}  // namespace kg::npu
