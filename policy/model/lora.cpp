#include "policy/model/lora.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.h"
#include "base/error.h"
#include "base/random.h"
#include "policy/model/parameter_layout.h"

namespace kg::policy {
namespace {

constexpr const char* kWeight = ".weight";

// "q_proj" of "model.layers.0.self_attn.q_proj.weight".
std::string projection_of(const std::string& name) {
  const std::string path = name.substr(0, name.size() - std::string(kWeight).size());
  return path.substr(path.rfind('.') + 1);
}

bool is_target(const ParameterShape& parameter, const LoraOptions& options) {
  return parameter.shape.size() == 2 && parameter.name.ends_with("_proj.weight") &&
         std::find(options.targets.begin(), options.targets.end(), projection_of(parameter.name)) !=
             options.targets.end();
}

std::string adapter_name(const std::string& weight, const char* part) {
  return weight.substr(0, weight.size() - std::string(kWeight).size()) + part;
}

}  // namespace

void check_lora(const LoraOptions& options, const ModelConfig& config) {
  if (options.rank < 1 || options.alpha <= 0 || options.targets.empty())
    throw Error("adapters need a rank of at least 1, a positive alpha and a target", "LoRA",
                "for instance --lora-rank 16");
  std::vector<std::string> known;
  for (const ParameterShape& parameter : parameter_layout(config))
    if (parameter.name.ends_with("_proj.weight")) known.push_back(projection_of(parameter.name));
  for (const std::string& target : options.targets)
    if (std::find(known.begin(), known.end(), target) == known.end())
      throw Error("the model has no projection named \"" + target + "\"", "LoRA",
                  "q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj or down_proj");
}

LoraAdapters new_adapters(const LoraOptions& options, const ModelConfig& config, std::uint64_t seed) {
  check_lora(options, config);
  LoraAdapters adapters{.options = options};
  std::uint64_t stream = 0;
  for (const ParameterShape& parameter : parameter_layout(config)) {
    if (!is_target(parameter, options)) continue;
    const std::int64_t in = parameter.shape[1], out = parameter.shape[0];
    Philox random(seed, stream++);
    const at::Tensor down = at::empty({options.rank, in}, at::kFloat);  // (R, in)
    float* values = down.mutable_data_ptr<float>();
    const double bound = 1 / std::sqrt(static_cast<double>(in));  // Kaiming's, with a negative slope of sqrt(5)
    for (std::int64_t i = 0; i < down.numel(); ++i)
      values[i] = static_cast<float>((2 * random.next_double() - 1) * bound);
    adapters.tensors.push_back({adapter_name(parameter.name, ".lora_A.weight"), down});
    const at::Tensor up = at::zeros({out, options.rank});  // (out, R)
    adapters.tensors.push_back({adapter_name(parameter.name, ".lora_B.weight"), up});
  }
  return adapters;
}

std::vector<NamedTensor> merged(const std::vector<NamedTensor>& weights, const LoraAdapters& adapters) {
  const at::NoGradGuard no_grad;
  std::map<std::string, at::Tensor> by_name;
  for (const NamedTensor& adapter : adapters.tensors) by_name[adapter.name] = adapter.tensor;
  std::vector<NamedTensor> result;
  for (const NamedTensor& weight : weights) {
    result.push_back(weight);
    if (!weight.name.ends_with(kWeight)) continue;
    const auto down = by_name.find(adapter_name(weight.name, ".lora_A.weight"));
    if (down == by_name.end()) continue;
    const at::Tensor& up = by_name.at(adapter_name(weight.name, ".lora_B.weight"));
    const at::Tensor change = at::mm(up.detach().to(at::kFloat), down->second.detach().to(at::kFloat));  // (out, in)
    result.back().tensor = weight.tensor.detach().to(at::kFloat).add(change, adapters.scale());
  }
  return result;
}

}  // namespace kg::policy
