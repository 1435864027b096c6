#pragma once

#include <c10/core/Device.h>

#include <string>

namespace kg::policy {

// Where tensors are stored and computed with: "cpu", "cuda", "cuda:1", "npu", "npu:0".
//
// One binary serves all: the library of a device other than the CPU is loaded on first use.
//   cuda  libtorch_cuda.so of the same LibTorch build, with NVIDIA's libraries (cuBLAS, cuDNN, ...)
//   npu   libtorch_npu.so of torch_npu (Ascend Extension for PyTorch), with CANN's libraries
// Searched in $KGTRAIN_DEVICE_LIBRARIES (folders, separated by colons), beside LibTorch, and on the system's path.
//
// Throws Error for a malformed name, a library that is missing or does not load (with the places searched and the
// loader's message), or a device that this machine does not have.
at::Device open_device(const std::string& name);

}  // namespace kg::policy
