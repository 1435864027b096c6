#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policy/model/named_tensor.h"

namespace kg::policy {

struct ModelConfig;

// Low-rank adapters (Hu et al., "LoRA", 2021): a projection W x becomes W x + (alpha / rank) B A x; only A (rank, in)
// and B (out, rank) are trained.
struct LoraOptions {
  std::int64_t rank = 0;  // 0: no adapters
  double alpha = 32;
  std::vector<std::string> targets = {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};
};

struct LoraAdapters {
  LoraOptions options;
  // "model.layers.0.self_attn.q_proj.lora_A.weight" and "...lora_B.weight", A before its B, in the order of the layout.
  std::vector<NamedTensor> tensors;
  double scale() const { return options.alpha / static_cast<double>(options.rank); }
};

// Throws Error if a target does not name a projection of the model.
void check_lora(const LoraOptions& options, const ModelConfig& config);
// A random (uniform, as in PEFT), B zero: the model is unchanged at first. A pure function of options and seed.
LoraAdapters new_adapters(const LoraOptions& options, const ModelConfig& config, std::uint64_t seed);

// Weights with the adapters merged; weights without an adapter are the same tensors. fp32.
std::vector<NamedTensor> merged(const std::vector<NamedTensor>& weights, const LoraAdapters& adapters);

}  // namespace kg::policy
