#pragma once

#include <memory>
#include <string>
#include <vector>

#include "npu/machine/core.h"
#include "npu/scalar/image.h"

namespace kg::npu {

// The code of a kernel for its vector cores and for its cube cores.
struct Program {
  struct Half {
    const scalar::Image* image = nullptr;
    std::uint64_t entry = 0;  // address of a function that takes the address of the arguments
  };
  Half vector, cube;
  TaskLayout layout;
};

struct Outcome {
  bool ended = false;  // every core finished
  double cycles = 0;   // cycles of the slowest core, without the launch
};

// Runs the kernel once for each core of each block, each on its own stack, one at a time: a core runs until it
// ends or waits for others. Blocks start in index order, or permuted by the seed. More blocks than places run in waves.
// `arguments`: the bytes that each core finds on its stack.
Outcome run_cores(Device& device, const Program& program, const std::string& arguments, std::uint64_t seed);

// What a core is waiting for.
struct Wait {
  // kProducts: a cube core, for products that it is asked for, or the end of the group's vector cores; kProduct: a
  // vector core, for the one that it asked for.
  enum class For : std::uint8_t { kNothing, kFlag, kSignal, kOwnKind, kAllCores, kProducts, kProduct };
  For what = For::kNothing;
  int flag = -1;
  int used = 0;  // cores that take part in a barrier, 0: all
  int line = 0;
  CrossCore::Signal signal;
  const MatmulPost* product = nullptr;
};
void wait_until(const Wait& wait);  // leaves the core; returns when the wait is over

}  // namespace kg::npu
