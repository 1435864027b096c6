#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace kg::policy {

struct NamedTensor {
  std::string name;  // Hugging Face name, "model.layers.0.self_attn.q_proj.weight"
  at::Tensor tensor;
};

}  // namespace kg::policy
