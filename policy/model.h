#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "policy/model_config.h"

namespace kg::policy {

struct NamedTensor {
  std::string name;  // Hugging Face name, "model.layers.0.self_attn.q_proj.weight"
  at::Tensor tensor;
};

// Shapes: T tokens of a packed batch, C width, V vocabulary.
// A decoder-only transformer (Llama family) over a packed batch: several documents one after the other in one row,
// attention kept inside each. No padding.
class Transformer {
 public:
  // Parameters as loaded (policy/model_io.h), in the type they are computed in.
  Transformer(ModelConfig config, std::vector<NamedTensor> parameters);

  const ModelConfig& config() const { return config_; }
  std::vector<NamedTensor>& parameters() { return parameters_; }
  const std::vector<NamedTensor>& parameters() const { return parameters_; }
  at::Tensor parameter(const std::string& name) const;

  // ids (T) int64; document_starts: ascending, first 0. Positions restart in each document. Returns hidden states (T,
  // C) after the last norm.
  at::Tensor hidden(const at::Tensor& ids, const std::vector<std::int64_t>& document_starts) const;
  // Output projection (V, C); the embedding if tied.
  at::Tensor head_weight() const;

 private:
  ModelConfig config_;
  std::vector<NamedTensor> parameters_;
};

}  // namespace kg::policy
