#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "policy/model/lora.h"
#include "policy/model/model_config.h"
#include "policy/model/named_tensor.h"
#include "policy/model/segment.h"
#include "policy/model/transformer_layer.h"

namespace kg::policy {

// Shapes: T tokens of a packed batch, C width, V vocabulary (transformer_layer.h has all letters).
// A decoder-only transformer (Llama, Qwen) over a packed batch: several consecutive documents in one row,
// attention kept inside each. No padding.
class Transformer {
 public:
  // Parameters as loaded (policy/model_io.h), in the computing type.
  Transformer(ModelConfig config, std::vector<NamedTensor> parameters, LoraAdapters adapters = {});

  const ModelConfig& config() const { return config_; }
  const std::vector<NamedTensor>& parameters() const { return parameters_; }  // without adapters
  const LoraAdapters& adapters() const { return adapters_; }
  at::Tensor parameter(const std::string& name) const;
  at::Device device() const { return parameters_.front().tensor.device(); }

  // Keep only the input of each layer, not its activations: the backward pass computes a layer again. Less memory for a
  // third more work.
  void recompute_layers(bool on) { recompute_ = on; }

  // ids (T) int64. Returns hidden states (T, C) after the last norm.
  at::Tensor hidden(const at::Tensor& ids, const std::vector<Segment>& segments) const;
  // The same for plain documents that begin at `document_starts`.
  at::Tensor hidden(const at::Tensor& ids, const std::vector<std::int64_t>& document_starts) const {
    return hidden(ids, documents_at(document_starts, ids.size(0)));
  }
  // The same for tokens at any positions (T), int64, with a different attention: generation.
  at::Tensor hidden(const at::Tensor& ids, const at::Tensor& positions, const Attend& attend) const;
  // Output projection (V, C); the embedding if tied.
  at::Tensor head_weight() const;

 private:
  ModelConfig config_;
  std::vector<NamedTensor> parameters_;
  LoraAdapters adapters_;
  std::vector<TransformerLayer> layers_;  // the same tensors
  Rope rope_;
  bool recompute_ = false;
};

}  // namespace kg::policy
