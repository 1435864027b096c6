#pragma once

#include <cstdint>
#include <string>

namespace kg::policy {

// Shape and constants of a decoder-only transformer, as config.json and GGUF state them.
struct ModelConfig {
  std::string architecture = "llama";
  std::int64_t vocabulary = 0;
  std::int64_t width = 0;  // hidden_size
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_size = 0;
  std::int64_t ffn_width = 0;  // intermediate_size
  std::int64_t context = 0;    // max_position_embeddings
  double rope_base = 10000;
  double norm_epsilon = 1e-5;
  bool tied_embedding = false;
  std::int32_t bos_id = -1, eos_id = -1;
};

}  // namespace kg::policy
