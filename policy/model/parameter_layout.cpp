#include "policy/model/parameter_layout.h"

#include <c10/util/ArrayRef.h>

#include <sstream>
#include <unordered_map>

#include "base/error.h"
#include "policy/model/rope.h"

namespace kg::policy {
namespace {

std::string shape_text(c10::IntArrayRef shape) {
  std::ostringstream out;
  out << shape;
  return out.str();
}

}  // namespace

std::vector<ParameterShape> parameter_layout(const ModelConfig& config) {
  const std::int64_t query_width = config.heads * config.head_size, kv_width = config.kv_heads * config.head_size;
  std::vector<ParameterShape> layout{{"model.embed_tokens.weight", {config.vocabulary, config.width}}};
  for (std::int64_t i = 0; i < config.layers; ++i) {
    const std::string layer = "model.layers." + std::to_string(i) + ".", attention = layer + "self_attn.";
    const auto projection = [&](const std::string& name, std::int64_t out, std::int64_t in, bool bias = false) {
      layout.push_back({name + ".weight", {out, in}});
      if (bias) layout.push_back({name + ".bias", {out}});
    };
    const auto feed_forward = [&](const std::string& name) {
      projection(name + ".gate_proj", config.ffn_width, config.width);
      projection(name + ".up_proj", config.ffn_width, config.width);
      projection(name + ".down_proj", config.width, config.ffn_width);
    };
    layout.push_back({layer + "input_layernorm.weight", {config.width}});
    projection(attention + "q_proj", query_width, config.width, config.has_qkv_bias());
    projection(attention + "k_proj", kv_width, config.width, config.has_qkv_bias());
    projection(attention + "v_proj", kv_width, config.width, config.has_qkv_bias());
    projection(attention + "o_proj", config.width, query_width);
    if (config.has_qk_norm()) {
      layout.push_back({attention + "q_norm.weight", {config.head_size}});
      layout.push_back({attention + "k_norm.weight", {config.head_size}});
    }
    layout.push_back({layer + "post_attention_layernorm.weight", {config.width}});
    if (config.has_experts()) layout.push_back({layer + "mlp.gate.weight", {config.experts, config.width}});
    for (std::int64_t e = 0; e < config.experts; ++e) feed_forward(layer + "mlp.experts." + std::to_string(e));
    if (!config.has_experts()) feed_forward(layer + "mlp");
  }
  layout.push_back({"model.norm.weight", {config.width}});
  if (!config.tied_embedding) layout.push_back({"lm_head.weight", {config.vocabulary, config.width}});
  return layout;
}

std::vector<NamedTensor> arrange_parameters(const ModelConfig& config, std::vector<NamedTensor> weights,
                                            const std::string& where) {
  std::unordered_map<std::string, at::Tensor> by_name;
  for (NamedTensor& weight : weights) by_name[weight.name] = std::move(weight.tensor);
  // Some exporters write the tied head out once more.
  if (config.tied_embedding) by_name.erase("lm_head.weight");
  std::vector<NamedTensor> arranged;
  for (const ParameterShape& wanted : parameter_layout(config)) {
    const auto found = by_name.find(wanted.name);
    if (found == by_name.end())
      throw Error("the model lacks the parameter " + wanted.name, where, "check that all files of the model are there");
    if (found->second.sizes() != c10::IntArrayRef(wanted.shape))
      throw Error("parameter " + wanted.name + " has the shape " + shape_text(found->second.sizes()) +
                      "; the configuration asks for " + shape_text(wanted.shape),
                  where, "check that weights and configuration belong together");
    arranged.push_back({wanted.name, std::move(found->second)});
    by_name.erase(found);
  }
  if (!by_name.empty())
    throw Error("parameter " + by_name.begin()->first + " does not belong to the architecture " + config.architecture,
                where, "use a plain model of this family");
  return arranged;
}

void check_config(const ModelConfig& config, const std::string& where) {
  const auto demand = [&](bool condition, const std::string& what) {
    if (!condition)
      throw Error("the model configuration is wrong: " + what, where, "check that the model file is whole");
  };
  demand(config.vocabulary > 0 && config.width > 0 && config.layers > 0 && config.ffn_width > 0 && config.context > 0,
         "a size is zero or absent");
  demand(config.heads > 0 && config.kv_heads > 0 && config.heads % config.kv_heads == 0,
         std::to_string(config.heads) + " heads cannot share " + std::to_string(config.kv_heads) +
             " key-value heads evenly");
  demand(config.head_size > 0 && config.head_size % 2 == 0,
         "the head size " + std::to_string(config.head_size) + " is not even");
  demand(config.rope_base > 0 && config.norm_epsilon > 0, "RoPE base or norm epsilon is not positive");
  demand(
      config.experts == 0 || (config.experts_used > 0 && config.experts_used <= config.experts),
      "each token uses " + std::to_string(config.experts_used) + " of " + std::to_string(config.experts) + " experts");
  check_rope_scaling(config.rope_scaling, where);
}

}  // namespace kg::policy
