#pragma once

#include <c10/core/Device.h>

#include <string>

namespace kg::policy {

// Where tensors lie and are computed with: "cpu", "cuda", "cuda:1", "npu", "npu:0".
//
// One binary serves all: the library of a device other than the CPU is loaded when it is first asked for.
//   cuda  libtorch_cuda.so of the same LibTorch build, with NVIDIA's libraries (cuBLAS, cuDNN, ...)
//   npu   libtorch_npu.so of torch_npu (Ascend Extension for PyTorch), with CANN's libraries
// Looked for in $KGTRAIN_DEVICE_LIBRARIES (folders, separated by colons), beside LibTorch, and where the system looks.
//
// Throws Error: a name of another form; a library that is missing or does not load (what was looked for where, and what
// the loader said); no such device in this machine.
at::Device open_device(const std::string& name);

}  // namespace kg::policy
