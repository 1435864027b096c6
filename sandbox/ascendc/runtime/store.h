#pragma once

#include "sandbox/ascendc/runtime/core.h"

namespace kg::sandbox::ascendc {

// Writes bytes to GM under the core's atomic mode, keeps track of who wrote them and whether they are defined.
void store_global(Core& core, const char* call, GlobalMemory::Allocation& to, std::uint64_t offset,
                  const std::uint8_t* data, const std::uint8_t* defined, std::int64_t bytes);

}  // namespace kg::sandbox::ascendc
