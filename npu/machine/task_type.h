#pragma once

#include <cstdint>

#include "npu/machine/cross_core.h"
#include "npu/scalar/image.h"

namespace kg::npu {

// Which cores a kernel starts: as KERNEL_TASK_TYPE (for the tiling key) or KERNEL_TASK_TYPE_DEFAULT says; otherwise by
// what its two halves call. `cube` is null where the source names nothing of the cube side.
TaskLayout layout_of(const scalar::Image& vector, const scalar::Image* cube, std::int64_t tiling_key);

}  // namespace kg::npu
