#pragma once

#include "npu/machine/core.h"

namespace kg::npu {

// What all accesses of GM go through, once the caller has checked the bounds: races with other pipes and other cores,
// what has not left a data cache yet, defined data or not. `line` of the core is the line of the call.

// Records that the instruction reads the bytes and reports what races with it. Bytes of the last, partly used 32-byte
// unit that somebody else is writing (a copy rounded up reaches into its neighbour) only become undefined: false then.
bool read_global(Core& core, const char* call, const Instruction& instruction, GlobalMemory::Allocation& from,
                 std::uint64_t offset, std::int64_t bytes);
// Writes bytes under the core's atomic mode.
void store_global(Core& core, const char* call, const Instruction& instruction, GlobalMemory::Allocation& to,
                  std::uint64_t offset, const std::uint8_t* data, const std::uint8_t* defined, std::int64_t bytes);
// Copies the bytes into UB or another memory that keeps track of defined data: read_global() and the copy.
void load_global(Core& core, const char* call, const Instruction& instruction, GlobalMemory::Allocation& from,
                 std::uint64_t offset, std::uint8_t* data, std::uint8_t* defined, std::int64_t bytes);

}  // namespace kg::npu
