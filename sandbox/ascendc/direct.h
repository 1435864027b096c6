#pragma once

#include <cstdint>
#include <vector>

#include "sandbox/ascendc/include/kgnpu/abi_launch.h"
#include "sandbox/ascendc/runtime/scheduler.h"

namespace kg::sandbox::ascendc {

using HostEntry = void (*)(const void* arguments);

// Calls the host function of a source with <<<>>>; each launch in it runs to its end before the next begins. Faults of
// the call itself (too few parameters, no launch at all) are the device's.
Outcome run_host_function(Device& device, HostEntry entry, const kgnpu::HostArguments& arguments,
                          std::uint32_t required, std::uint64_t seed);

}  // namespace kg::sandbox::ascendc
