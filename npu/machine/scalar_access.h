#pragma once

#include "npu/machine/core.h"

namespace kg::npu {

// Loads and stores of the scalar unit, 1 to 8 bytes, on the core's current line; `call` is for messages.

// In GM, through the data cache. An access outside an allocation ends the kernel.
void scalar_load_global(Core& core, const char* call, std::uint64_t address, int bytes, std::uint8_t* to);
void scalar_store_global(Core& core, const char* call, std::uint64_t address, int bytes, const std::uint8_t* from);

// In UB, at an address that the caller has checked.
void scalar_load_local(Core& core, const char* call, std::int64_t address, int bytes, std::uint8_t* to);
void scalar_store_local(Core& core, const char* call, std::int64_t address, int bytes, const std::uint8_t* from);

}  // namespace kg::npu
