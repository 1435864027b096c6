#pragma once

#include <cstdint>
#include <string>

namespace kg::policy {

// How rotary position embedding is extended beyond the context that a model was first trained with. The names are those
// of config.json; policy/rope.h has the formulas.
struct RopeScaling {
  std::string type = "default";  // default (none), linear, llama3, yarn
  double factor = 1;
  double original_context = 0;                                 // llama3, yarn
  double low_frequency_factor = 1, high_frequency_factor = 4;  // llama3
  double beta_fast = 32, beta_slow = 1;                        // yarn
  double attention_factor = 0;                                 // yarn; 0: 0.1 ln(factor) + 1
};

// Shape and constants of a decoder-only transformer, as config.json and GGUF state them.
struct ModelConfig {
  std::string architecture = "llama";  // llama, qwen2, qwen3, qwen3_moe: the model_type of config.json
  std::int64_t vocabulary = 0;
  std::int64_t width = 0;  // hidden_size
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_size = 0;
  std::int64_t ffn_width = 0;  // intermediate_size; of one expert where there are experts
  std::int64_t context = 0;    // max_position_embeddings
  double rope_base = 10000;
  RopeScaling rope_scaling = {};
  double norm_epsilon = 1e-5;
  bool tied_embedding = false;
  std::int64_t experts = 0;        // per layer; 0: one feed-forward network for all tokens
  std::int64_t experts_used = 0;   // used for each token
  bool normalised_experts = true;  // the weights of the used experts are scaled to a sum of 1
  std::int32_t bos_id = -1, eos_id = -1;

  bool has_qkv_bias() const { return architecture == "qwen2"; }
  bool has_qk_norm() const { return architecture == "qwen3" || architecture == "qwen3_moe"; }
  bool has_experts() const { return experts > 0; }
};

}  // namespace kg::policy
