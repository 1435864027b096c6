#pragma once

#include <string>
#include <vector>

#include "npu/headers/kgnpu/abi.h"
#include "npu/machine/cross_core.h"

namespace kg::npu {

// Which cores a kernel starts: as KERNEL_TASK_TYPE (for the tiling key) or KERNEL_TASK_TYPE_DEFAULT says; otherwise by
// what its two halves call. `cube` is null where the source names nothing of the cube side.
struct Half {
  const kgnpu::Entry* entry = nullptr;
  std::vector<std::string> calls;  // of the runtime
};
TaskLayout layout_of(const Half& vector, const Half& cube, std::int64_t tiling_key);

// The functions that a shared object leaves to the program that loads it.
std::vector<std::string> undefined_functions(const std::string& shared_object);

}  // namespace kg::npu
