#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policy/model/model.h"

namespace kg::policy {

struct ParameterShape {
  std::string name;
  std::vector<std::int64_t> shape;
};

// The parameters of a model with this configuration, in the order of the layers: the only order in which kgtrain
// keeps them.
std::vector<ParameterShape> parameter_layout(const ModelConfig& config);

// `weights` in the order of the layout. Throws Error naming a parameter that is missing, superfluous or of another
// shape.
std::vector<NamedTensor> arrange_parameters(const ModelConfig& config, std::vector<NamedTensor> weights,
                                            const std::string& where);

// Throws Error if the numbers of the configuration do not match each other.
void check_config(const ModelConfig& config, const std::string& where);

}  // namespace kg::policy
