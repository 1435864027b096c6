#pragma once

#include <cstdint>

#include "npu/machine/cross_core.h"
#include "npu/scalar/image.h"

namespace kg::npu {

// The cores that a kernel starts: given by KERNEL_TASK_TYPE (for the tiling key) or KERNEL_TASK_TYPE_DEFAULT; otherwise
// by the calls of its two halves. `cube` is null if the source names nothing of the cube side.
TaskLayout layout_of(const scalar::Image& vector, const scalar::Image* cube, std::int64_t tiling_key);

}  // namespace kg::npu
