#include "policy/model/transformer_layer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>

#include "policy/model/cuda_layers.h"

namespace kg::policy {
namespace {

// RMS norm over each head, x (T, H, D).
at::Tensor head_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  return rms_norm(x.reshape({-1, x.size(2)}), weight, epsilon).view(x.sizes());  // (T H, D) -> (T, H, D)
}

}  // namespace

at::Tensor Projection::operator()(const at::Tensor& x) const {
  const at::Tensor y = bias.defined() ? at::linear(x, weight, bias) : at::linear(x, weight);  // (T, out)
  if (!down.defined()) return y;
  const at::Tensor inner = at::linear(x, down);  // (T, R)
  return y.add(at::linear(inner, up), scale);    // (T, out)
}

bool Joined::possible(const at::Tensor& x, std::initializer_list<const Projection*> projections) {
  return on_cuda(x) && std::all_of(projections.begin(), projections.end(), [&](const Projection* p) {
           return !p->bias.defined() && !p->down.defined() && p->weight.scalar_type() == x.scalar_type();
         });
}

at::Tensor Joined::operator()(const at::Tensor& x, std::initializer_list<const Projection*> projections) const {
  if (weight.defined()) return at::linear(x, weight);
  std::vector<at::Tensor> weights;
  for (const Projection* p : projections) weights.push_back(p->weight);
  return at::linear(x, at::cat(weights));
}

at::Tensor FeedForward::operator()(const at::Tensor& x) const {
  if (Joined::possible(x, {&gate, &up})) return down(cuda_joined_swiglu(gate_and_up(x, {&gate, &up})));  // (T, C)
  const at::Tensor inner = swiglu(gate(x), up(x));                                                       // (T, F)
  return down(inner);                                                                                    // (T, C)
}

at::Tensor TransformerLayer::operator()(const at::Tensor& x, const RowContext& row) const {
  const double epsilon = row.config.norm_epsilon;
  const auto [attended, normed] =
      add_rms_norm(x, attention(rms_norm(x, attention_norm, epsilon), row), ffn_norm, epsilon);  // (T, C) each
  return attended.add(router.defined() ? mixture(normed, row.config) : experts.front()(normed));
}

at::Tensor TransformerLayer::attention(const at::Tensor& normed, const RowContext& row) const {
  const ModelConfig& c = row.config;
  const std::int64_t tokens = normed.size(0), d = c.head_size;
  if (!query_norm.defined() && d % 16 == 0 && Joined::possible(normed, {&query, &key, &value})) {
    const Heads heads = cuda_heads(query_key_value(normed, {&query, &key, &value}), row.rotation, c.heads, c.kv_heads);
    return output(row.attend(index, heads.query, heads.key, heads.value).reshape({tokens, c.heads * d}));  // (T, C)
  }
  at::Tensor q = query(normed).view({tokens, c.heads, d});   // (T, H, D)
  at::Tensor k = key(normed).view({tokens, c.kv_heads, d});  // (T, K, D)
  if (query_norm.defined()) {
    q = head_norm(q, query_norm, c.norm_epsilon);  // (T, H, D)
    k = head_norm(k, key_norm, c.norm_epsilon);    // (T, K, D)
  }
  const at::Tensor v = value(normed).view({tokens, c.kv_heads, d});                                 // (T, K, D)
  const at::Tensor mixed = row.attend(index, rotate(q, row.rotation), rotate(k, row.rotation), v);  // (T, H, D)
  return output(mixed.reshape({tokens, c.heads * d}));                                              // (T, C)
}

// Each token goes through the experts that its router prefers (Qwen3's mixture: softmax over all experts first, then
// the largest of them).
at::Tensor TransformerLayer::mixture(const at::Tensor& normed, const ModelConfig& c) const {
  const at::Tensor likes = at::softmax(at::linear(normed, router), -1, at::kFloat);    // (T, E)
  auto [weights, chosen] = at::topk(likes, c.experts_used, /*dim=*/-1);                // (T, U), (T, U)
  if (c.normalised_experts) weights = weights.div(weights.sum(-1, /*keepdim=*/true));  // (T, U)
  weights = weights.to(normed.scalar_type());
  at::Tensor result = at::zeros_like(normed);  // (T, C)
  for (std::int64_t e = 0; e < c.experts; ++e) {
    const at::Tensor places = at::nonzero(chosen.eq(e));  // (n, 2): token, which of its choices
    if (places.size(0) == 0) continue;
    const at::Tensor tokens = places.select(1, 0);                               // (n)
    const at::Tensor at_weight = tokens * c.experts_used + places.select(1, 1);  // (n): places in (T U)
    const at::Tensor share = weights.reshape({-1}).index_select(0, at_weight);   // (n)
    const at::Tensor in = normed.index_select(0, tokens);                        // (n, C)
    const at::Tensor out = experts[static_cast<std::size_t>(e)](in);             // (n, C)
    result = at::index_add(result, 0, tokens, out.mul(share.unsqueeze(1)));      // (T, C)
  }
  return result;
}

std::vector<at::Tensor> TransformerLayer::tensors() const {
  std::vector<at::Tensor> all{attention_norm, ffn_norm, query_norm, key_norm, router};
  const auto add = [&](const Projection& p) { all.insert(all.end(), {p.weight, p.bias, p.down, p.up}); };
  for (const Projection* p : {&query, &key, &value, &output}) add(*p);
  for (const FeedForward& expert : experts)
    for (const Projection* p : {&expert.gate, &expert.up, &expert.down}) add(*p);
  std::erase_if(all, [](const at::Tensor& tensor) { return !tensor.defined(); });
  return all;
}

}  // namespace kg::policy
