#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sandbox/ascendc/runtime/core.h"

namespace kg::sandbox::ascendc {

struct Outcome {
  bool ended = false;  // every core came to its end
  double cycles = 0;   // of the slowest core, launch excluded
};

// Runs the kernel once for each block index, each on a stack of its own, one at a time: a core runs until it ends or
// waits for all others. Cores start in index order, or permuted by the seed. More blocks than cores run in waves.
Outcome run_cores(Device& device, const kgnpu::Entry& entry, const std::vector<std::uint64_t>& arguments,
                  std::uint64_t seed);

}  // namespace kg::sandbox::ascendc
