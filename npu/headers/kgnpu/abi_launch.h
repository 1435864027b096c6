#pragma once

#include <stdint.h>

// What a source with <<<>>> and the runtime have in common, beside abi.h.

namespace kgnpu {

// Where the entries of the kernels lie that a source launches.
constexpr char kLaunches[] = "kgnpu_launches";

// One of them: how the kernel is called with its arguments, and how many bytes they have. It has the same symbol in the
// device's code and in the host's.
struct LaunchedKernel {
  void (*call)(const void* arguments);
  uint64_t bytes;
};

// What a judge gives the host function.
struct HostArguments {
  uint32_t block_dim;
  const uint64_t* addresses;  // inputs, outputs, then workspace and tiling
  uint32_t address_count;
  const double* numbers;  // the task's attributes that are numbers
  uint32_t number_count;
};

}  // namespace kgnpu

extern "C" {
// Asks for a launch; it happens when the host function has ended, in another process.
void kgnpu_launch(const kgnpu::LaunchedKernel* kernel, uint32_t block_dim, const void* arguments);
// How many addresses and numbers the host function took.
void kgnpu_host_arguments_used(uint32_t addresses, uint32_t numbers);
}
