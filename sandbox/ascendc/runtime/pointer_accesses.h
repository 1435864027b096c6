#pragma once

#include <cstdint>

namespace kg::sandbox::ascendc {

// What kernels may read through pointers besides tensors and their own stacks; for the launch that follows.
void forget_readable();
void let_kernel_read(const void* begin, std::uint64_t bytes);
// The loaded object that `address` lies in: its tables, and its functions for calls through pointers.
void let_kernel_use_object(const void* address);

}  // namespace kg::sandbox::ascendc
