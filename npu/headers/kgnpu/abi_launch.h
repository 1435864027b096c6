#pragma once

#include <stdint.h>

// Shared by a source with <<<>>> and the runtime, in addition to abi.h.

namespace kgnpu {

// The entries of the kernels that a source launches.
constexpr char kLaunches[] = "kgnpu_launches";
// A number of 4 bytes: whether a second object holds the code of the cube cores.
constexpr char kHasCubeHalf[] = "kgnpu_has_cube_half";

// One of them: how to call the kernel with its arguments, and their size in bytes. It has the same symbol in the
// device's code and in the host's.
struct LaunchedKernel {
  void (*call)(const void* arguments);
  uint64_t bytes;
};

// The judge's arguments for the host function.
struct HostArguments {
  uint32_t block_dim;
  const uint64_t* addresses;  // inputs, outputs, then workspace and tiling
  uint32_t address_count;
  const double* numbers;  // the task's attributes that are numbers
  uint32_t number_count;
};

}  // namespace kgnpu

extern "C" {
// Requests a launch; it happens in another process when the host function has ended.
void kgnpu_launch(const kgnpu::LaunchedKernel* kernel, uint32_t block_dim, const void* arguments);
// The number of addresses and numbers that the host function took.
void kgnpu_host_arguments_used(uint32_t addresses, uint32_t numbers);
}
