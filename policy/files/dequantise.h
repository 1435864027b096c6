#pragma once

#include <ATen/core/Tensor.h>

#include "policy/files/gguf.h"

namespace kg::policy {

// The tensor in fp32, in newly allocated memory.
at::Tensor dequantise(const GgufTensor& tensor);

}  // namespace kg::policy
