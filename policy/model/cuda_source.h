#pragma once

namespace kg::policy {

// The kernels of cuda_kernels.h in CUDA C++.
extern const char* const kCudaSource;

}  // namespace kg::policy
