#pragma once

#include <cstdint>

#include "npu/machine/scheduler.h"

namespace kg::npu {

// The cores that a kernel starts: given by its KERNEL_TASK_TYPE (for the tiling key) or KERNEL_TASK_TYPE_DEFAULT;
// otherwise by the calls of its two halves. The cube half's image is null if the source names nothing of that side.
// Functions of the source that the kernel cannot come to do not count.
TaskLayout layout_of(const Program::Half& vector, const Program::Half& cube, std::int64_t tiling_key);

}  // namespace kg::npu
