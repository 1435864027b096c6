#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "policy/generation/generation_backend.h"
#include "policy/generation/packed_matrix.h"
#include "policy/model/model_config.h"
#include "policy/model/named_tensor.h"

namespace kg::policy {

// All weights of one policy version in the layout of the CPU loops.
struct DecodeWeights : GenerationWeights {
  struct FeedForward {
    PackedMatrix gate_up, down;
  };
  struct Layer {
    std::vector<float> attention_norm, ffn_norm;
    PackedMatrix qkv, output;
    std::vector<float> qkv_bias;              // empty if there is none
    std::vector<float> query_norm, key_norm;  // (D), empty if there is none
    PackedMatrix router;                      // (E, C), empty without experts
    std::vector<FeedForward> experts;         // one, or all experts
  };
  std::vector<Layer> layers;
  std::vector<float> final_norm;
  PackedMatrix head;       // (V, C)
  PackedMatrix embedding;  // empty if tied: rows come from the head

  // `dtype`: storage type of matrices (packed_matrix.h); a mixture's router is at least bfloat16. Throws Error naming
  // a weight that is missing or has another shape.
  static std::shared_ptr<const DecodeWeights> pack(const ModelConfig& config, const std::vector<NamedTensor>& weights,
                                                   const std::string& dtype = "float32");
};

}  // namespace kg::policy
