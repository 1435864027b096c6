#include "policy/generation/decode_weights.h"

#include <sstream>
#include <unordered_map>

#include "base/error.h"

namespace kg::policy {
namespace {

class Source {
 public:
  explicit Source(const std::vector<NamedTensor>& weights) {
    for (const NamedTensor& w : weights) by_name_[w.name] = &w.tensor;
  }
  at::Tensor get(const std::string& name, std::vector<std::int64_t> shape) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) throw Error("the weights lack " + name, "generator", "export the model again");
    if (!found->second->sizes().equals(shape)) {
      std::ostringstream message;
      message << "weight " << name << " has shape " << found->second->sizes() << ", the model's configuration says "
              << at::IntArrayRef(shape);
      throw Error(message.str(), "generator", "config.json and weights must belong together");
    }
    return found->second->detach().to(at::kCPU, at::kFloat).contiguous();
  }
  std::vector<float> values(const std::string& name, std::int64_t size) const {
    const at::Tensor t = get(name, {size});
    return std::vector<float>(t.const_data_ptr<float>(), t.const_data_ptr<float>() + size);
  }

 private:
  std::unordered_map<std::string, const at::Tensor*> by_name_;
};

DecodeWeights::Layer pack_layer(const ModelConfig& c, const Source& source, const std::string& at, HeldAs held) {
  const std::int64_t q = c.heads * c.head_size, kv = c.kv_heads * c.head_size;
  const std::string attention = at + "self_attn.";
  DecodeWeights::Layer layer{.attention_norm = source.values(at + "input_layernorm.weight", c.width),
                             .ffn_norm = source.values(at + "post_attention_layernorm.weight", c.width),
                             .qkv = PackedMatrix({source.get(attention + "q_proj.weight", {q, c.width}),
                                                  source.get(attention + "k_proj.weight", {kv, c.width}),
                                                  source.get(attention + "v_proj.weight", {kv, c.width})},
                                                 held),
                             .output = PackedMatrix({source.get(attention + "o_proj.weight", {c.width, q})}, held)};
  if (c.has_qkv_bias())
    for (const auto& [name, size] : {std::pair{"q_proj.bias", q}, {"k_proj.bias", kv}, {"v_proj.bias", kv}}) {
      const std::vector<float> part = source.values(attention + name, size);
      layer.qkv_bias.insert(layer.qkv_bias.end(), part.begin(), part.end());
    }
  if (c.has_qk_norm()) {
    layer.query_norm = source.values(attention + "q_norm.weight", c.head_size);
    layer.key_norm = source.values(attention + "k_norm.weight", c.head_size);
  }
  const auto feed_forward = [&](const std::string& name) {
    layer.experts.push_back({PackedMatrix({source.get(name + ".gate_proj.weight", {c.ffn_width, c.width}),
                                           source.get(name + ".up_proj.weight", {c.ffn_width, c.width})},
                                          held),
                             PackedMatrix({source.get(name + ".down_proj.weight", {c.width, c.ffn_width})}, held)});
  };
  if (c.has_experts())
    layer.router = PackedMatrix({source.get(at + "mlp.gate.weight", {c.experts, c.width})},
                                held == HeldAs::kInt8 ? HeldAs::kBFloat16 : held);
  for (std::int64_t e = 0; e < c.experts; ++e) feed_forward(at + "mlp.experts." + std::to_string(e));
  if (!c.has_experts()) feed_forward(at + "mlp");
  return layer;
}

}  // namespace

std::shared_ptr<const DecodeWeights> DecodeWeights::pack(const ModelConfig& c, const std::vector<NamedTensor>& weights,
                                                         const std::string& dtype) {
  const Source source(weights);
  const HeldAs held = held_as(dtype);
  auto packed = std::make_shared<DecodeWeights>();
  for (std::int64_t l = 0; l < c.layers; ++l)
    packed->layers.push_back(pack_layer(c, source, "model.layers." + std::to_string(l) + ".", held));
  packed->final_norm = source.values("model.norm.weight", c.width);
  const at::Tensor embedding = source.get("model.embed_tokens.weight", {c.vocabulary, c.width});
  if (c.tied_embedding) {
    packed->head = PackedMatrix({embedding}, held);
  } else {
    packed->embedding = PackedMatrix({embedding}, held);
    packed->head = PackedMatrix({source.get("lm_head.weight", {c.vocabulary, c.width})}, held);
  }
  return packed;
}

}  // namespace kg::policy
