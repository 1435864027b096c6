#pragma once

#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "policy/model/model.h"

namespace kg::policy {

// A model of a few thousand weights with grouped heads, two layers and a vocabulary of bytes and two special tokens.
inline ModelConfig tiny_config(bool tied = true) {
  ModelConfig c;
  c.vocabulary = 258;
  c.width = 32;
  c.layers = 2;
  c.heads = 6;
  c.kv_heads = 2;
  c.head_size = 16;
  c.ffn_width = 40;
  c.context = 256;
  c.rope_base = 10000;
  c.tied_embedding = tied;
  c.bos_id = 256;
  c.eos_id = 257;
  return c;
}

inline std::vector<NamedTensor> random_weights(const ModelConfig& c, std::uint64_t seed) {
  at::manual_seed(seed);
  std::vector<NamedTensor> weights;
  const auto add = [&](const std::string& name, std::vector<std::int64_t> shape) {
    at::Tensor t = at::randn(shape) * (shape.size() == 1 ? 0.1 : 0.3);
    weights.push_back({name, shape.size() == 1 ? t + 1 : t});
  };
  add("model.embed_tokens.weight", {c.vocabulary, c.width});
  for (std::int64_t l = 0; l < c.layers; ++l) {
    const std::string p = "model.layers." + std::to_string(l) + ".";
    add(p + "input_layernorm.weight", {c.width});
    add(p + "self_attn.q_proj.weight", {c.heads * c.head_size, c.width});
    add(p + "self_attn.k_proj.weight", {c.kv_heads * c.head_size, c.width});
    add(p + "self_attn.v_proj.weight", {c.kv_heads * c.head_size, c.width});
    add(p + "self_attn.o_proj.weight", {c.width, c.heads * c.head_size});
    add(p + "post_attention_layernorm.weight", {c.width});
    add(p + "mlp.gate_proj.weight", {c.ffn_width, c.width});
    add(p + "mlp.up_proj.weight", {c.ffn_width, c.width});
    add(p + "mlp.down_proj.weight", {c.width, c.ffn_width});
  }
  add("model.norm.weight", {c.width});
  if (!c.tied_embedding) add("lm_head.weight", {c.vocabulary, c.width});
  return weights;
}

}  // namespace kg::policy
