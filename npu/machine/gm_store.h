#pragma once

#include "npu/machine/core.h"

namespace kg::npu {

// The functions for all accesses to GM, once the caller has checked the bounds: races with other pipes and other cores,
// data still in a data cache, and defined data. The core's `line` is the line of the call.

// Records that the instruction reads the bytes and reports its races. If somebody else is writing to the last, partly
// used 32-byte unit (a copy rounded up reaches into its neighbour), those bytes only become undefined: returns false.
bool read_global(Core& core, const char* call, const Instruction& instruction, GlobalMemory::Allocation& from,
                 std::uint64_t offset, std::int64_t bytes);
// Writes bytes in the core's atomic mode.
void store_global(Core& core, const char* call, const Instruction& instruction, GlobalMemory::Allocation& to,
                  std::uint64_t offset, const std::uint8_t* data, const std::uint8_t* defined, std::int64_t bytes);
// Copies the bytes into UB or another memory that tracks defined data: read_global() and the copy.
void load_global(Core& core, const char* call, const Instruction& instruction, GlobalMemory::Allocation& from,
                 std::uint64_t offset, std::uint8_t* data, std::uint8_t* defined, std::int64_t bytes);

}  // namespace kg::npu
