#pragma once

#include <string>
#include <vector>

#include "policy/model/model_config.h"

namespace kg::policy {

// The angle of element pair i at position p is p * frequencies[i]; cosine and sine are multiplied by `magnitude`.
struct Rope {
  std::vector<float> frequencies;  // (head_size / 2)
  float magnitude = 1;
};

// Rotary position embedding (Su et al., "RoFormer", 2021) with the scaling that the configuration names: linear (Chen
// et al., "Extending context window", 2023), llama3 (Llama 3.1's), yarn (Peng et al., "YaRN", 2023).
Rope rope_of(const ModelConfig& config);

// Throws Error for a scaling that rope_of does not know, or whose values make no sense.
void check_rope_scaling(const RopeScaling& scaling, const std::string& where);

}  // namespace kg::policy
