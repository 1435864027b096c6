#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "npu/machine/core.h"

namespace kg::npu {

// The temporary space that a library call gets: a tensor, or null for what InitBuffer has left over.

// Reports space of less than `least` bytes. `how`: where a kernel's author finds the size. Returns how many there are.
std::int64_t check_temporary(Core& core, const char* call, const kgnpu::Local* space, std::int64_t least,
                             const std::string& how);
// By the rule that the host side's function for the call follows.
std::int64_t check_temporary(Core& core, const char* call, const kgnpu::Local* space);

// Bytes of UB.
struct Extent {
  std::int64_t address = 0, bytes = 0;
};
// The first `bytes` of the space lose their content, but for what operands of the call share with it.
void lose_temporary(Core& core, const kgnpu::Local* space, std::int64_t bytes, std::span<const Extent> operands);

}  // namespace kg::npu
