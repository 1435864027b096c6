#pragma once

#include <cstdint>

namespace kg::npu {

// What kernels may read through pointers besides tensors and their own stacks; for the launch that follows.
void forget_readable();
void let_kernel_read(const void* begin, std::uint64_t bytes);
// The loaded object that `address` lies in, for its tables.
void let_kernel_use_object(const void* address);

// Whether the running kernel may read there: its stack, and what it was given to read.
bool kernel_may_read(std::uint64_t address, std::uint64_t bytes);
bool kernel_may_write(std::uint64_t address, std::uint64_t bytes);  // its stack

}  // namespace kg::npu
