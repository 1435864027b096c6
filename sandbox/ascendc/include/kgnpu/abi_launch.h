#pragma once

#include <stdint.h>

// What a source with <<<>>> and the runtime have in common, beside abi.h.

namespace kgnpu {

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
// Runs `kernel(bound)` on every core before it returns; `bytes` of `bound`.
void kgnpu_launch(uint32_t block_dim, void (*kernel)(const void*), const void* bound, uint64_t bytes);
// How many addresses and numbers the host function took.
void kgnpu_host_arguments_used(uint32_t addresses, uint32_t numbers);
}
