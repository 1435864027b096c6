#pragma once

#include <initializer_list>

#include "npu/chip.h"
#include "npu/headers/kgnpu/abi_cube.h"
#include "npu/machine/core.h"

namespace kg::npu {

// Shared by the calls of a cube core. On a vector core these calls do nothing: mixed kernels are compiled once for each
// kind of core, and the device's calls are empty on the kind that lacks the unit.

inline constexpr std::int64_t kFractalBytes = chip::kFractalSide * chip::kBlockBytes;  // one block in each row

inline std::int64_t ceil_div(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit; }

// Starts a call of the cube side: sets the line; false on a vector core.
bool begin_cube_call(Core& core, int line);
// The memory that a tensor is in; ends the kernel if it has none, or none of `allowed`.
Memory memory_among(Core& core, const char* call, const char* operand, const kgnpu::Local& tensor,
                    std::initializer_list<Memory> allowed);
// The allocation that contains [address, address + bytes); otherwise reports a fault and ends the kernel.
GlobalMemory::Allocation& check_global_range(Core& core, const char* call, std::uint64_t address, std::uint64_t bytes,
                                             bool writes);

}  // namespace kg::npu
