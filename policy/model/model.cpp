#include "policy/model/model.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/tensor.h>
#include <c10/core/GradMode.h>

#include <unordered_map>

#include "base/check.h"
#include "policy/model/attention.h"
#include "policy/model/parameter_layout.h"
#include "policy/model/recompute.h"

namespace kg::policy {
namespace {

class ByName {
 public:
  ByName(const std::vector<NamedTensor>& parameters, const LoraAdapters& adapters) : adapters_(adapters) {
    for (const NamedTensor& parameter : parameters) by_name_[parameter.name] = parameter.tensor;
    for (const NamedTensor& adapter : adapters.tensors) by_name_[adapter.name] = adapter.tensor;
  }
  at::Tensor get(const std::string& name) const {  // undefined if the model has no such parameter
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? at::Tensor() : found->second;
  }
  Projection projection(const std::string& path) const {
    Projection p{.weight = get(path + ".weight"), .bias = get(path + ".bias")};
    p.down = get(path + ".lora_A.weight");
    p.up = get(path + ".lora_B.weight");
    if (p.down.defined()) p.scale = adapters_.scale();
    return p;
  }
  FeedForward feed_forward(const std::string& path) const {
    return {projection(path + ".gate_proj"), projection(path + ".up_proj"), projection(path + ".down_proj")};
  }

 private:
  const LoraAdapters& adapters_;
  std::unordered_map<std::string, at::Tensor> by_name_;
};

// If nothing is trained, weights that are multiplied together are stored together, and `projections` are parts of them.
Joined joined(std::vector<NamedTensor>& parameters, const std::string& layer,
              const std::vector<std::string>& projections) {
  std::vector<NamedTensor*> parts;
  for (const std::string& projection : projections)
    for (NamedTensor& parameter : parameters)
      if (parameter.name == layer + projection + ".weight") parts.push_back(&parameter);
  std::vector<at::Tensor> weights;
  for (const NamedTensor* part : parts) {
    if (!part->tensor.is_cuda() || part->tensor.requires_grad()) return {};
    weights.push_back(part->tensor);
  }
  if (weights.size() != projections.size()) return {};
  const at::Tensor whole = at::cat(weights);
  std::int64_t row = 0;
  for (NamedTensor* part : parts) {
    const std::int64_t rows = part->tensor.size(0);
    part->tensor = whole.narrow(0, row, rows);
    row += rows;
  }
  return {whole};
}

TransformerLayer make_layer(const ByName& by_name, const ModelConfig& config, std::int64_t index) {
  const std::string at = "model.layers." + std::to_string(index) + ".", attention = at + "self_attn.";
  TransformerLayer layer{.index = index,
                         .attention_norm = by_name.get(at + "input_layernorm.weight"),
                         .ffn_norm = by_name.get(at + "post_attention_layernorm.weight"),
                         .query_norm = by_name.get(attention + "q_norm.weight"),
                         .key_norm = by_name.get(attention + "k_norm.weight"),
                         .query = by_name.projection(attention + "q_proj"),
                         .key = by_name.projection(attention + "k_proj"),
                         .value = by_name.projection(attention + "v_proj"),
                         .output = by_name.projection(attention + "o_proj"),
                         .router = by_name.get(at + "mlp.gate.weight")};
  for (std::int64_t e = 0; e < config.experts; ++e)
    layer.experts.push_back(by_name.feed_forward(at + "mlp.experts." + std::to_string(e)));
  if (!config.has_experts()) layer.experts.push_back(by_name.feed_forward(at + "mlp"));
  return layer;
}

}  // namespace

Transformer::Transformer(ModelConfig config, std::vector<NamedTensor> parameters, LoraAdapters adapters)
    : config_(std::move(config)),
      parameters_(arrange_parameters(config_, std::move(parameters), "transformer")),
      adapters_(std::move(adapters)),
      rope_(rope_of(config_)) {
  std::vector<Joined> attentions, feed_forwards;
  for (std::int64_t i = 0; i < config_.layers; ++i) {
    const std::string layer = "model.layers." + std::to_string(i) + ".";
    attentions.push_back(joined(parameters_, layer, {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"}));
    feed_forwards.push_back(joined(parameters_, layer, {"mlp.gate_proj", "mlp.up_proj"}));
  }
  const ByName by_name(parameters_, adapters_);
  for (std::int64_t i = 0; i < config_.layers; ++i) {
    layers_.push_back(make_layer(by_name, config_, i));
    layers_.back().query_key_value = attentions[static_cast<std::size_t>(i)];
    if (!config_.has_experts()) layers_.back().experts.front().gate_and_up = feed_forwards[static_cast<std::size_t>(i)];
  }
}

at::Tensor Transformer::parameter(const std::string& name) const {
  for (const NamedTensor& parameter : parameters_)
    if (parameter.name == name) return parameter.tensor;
  KG_CHECK_EQ(name, "a parameter of the model");
  return {};
}

at::Tensor Transformer::head_weight() const {
  return parameter(config_.tied_embedding ? "model.embed_tokens.weight" : "lm_head.weight");
}

at::Tensor Transformer::hidden(const at::Tensor& ids, const std::vector<Segment>& segments) const {
  check_segments(segments, ids.size(0));
  // The backward pass of a layer that is computed once more runs after this call has ended: the attention is copied.
  const Attend attend = [attention = CausalAttention(segments, ids.device())](
                            std::int64_t, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    return attention(q, k, v);
  };
  return hidden(ids, at::tensor(positions_of(segments)).to(ids.device()), attend);
}

at::Tensor Transformer::hidden(const at::Tensor& ids, const at::Tensor& positions, const Attend& attend) const {
  KG_CHECK_EQ(ids.dim(), 1);
  KG_CHECK_EQ(ids.size(0), positions.size(0));
  const RowContext row{config_, rotation_of(positions, rope_), attend};  // rotation: (T, D/2) each
  at::Tensor x = at::embedding(parameters_.front().tensor, ids);         // (V, C), (T) -> (T, C)
  for (const TransformerLayer& layer : layers_) {
    if (!recompute_ || !c10::GradMode::is_enabled()) {
      x = layer(x, row);  // (T, C)
      continue;
    }
    const auto once_more = [&layer, config = config_, rotation = row.rotation, attend](const at::Tensor& in) {
      return layer(in, {config, rotation, attend});
    };
    x = recomputed(x, layer.tensors(), once_more);  // (T, C)
  }
  return rms_norm(x, parameter("model.norm.weight"), config_.norm_epsilon);  // (T, C)
}

}  // namespace kg::policy
