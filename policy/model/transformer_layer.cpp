#include "policy/model/transformer_layer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros_like.h>

namespace kg::policy {
namespace {

// RMS norm over each head, x (T, H, D).
at::Tensor head_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  return rms_norm(x.reshape({-1, x.size(2)}), weight, epsilon).view(x.sizes());
}

}  // namespace

at::Tensor Projection::operator()(const at::Tensor& x) const {
  const at::Tensor y = bias.defined() ? at::linear(x, weight, bias) : at::linear(x, weight);
  return down.defined() ? y.add(at::linear(at::linear(x, down), up), scale) : y;
}

at::Tensor FeedForward::operator()(const at::Tensor& x) const { return down(swiglu(gate(x), up(x))); }

at::Tensor TransformerLayer::operator()(const at::Tensor& x, const RowContext& row) const {
  const double epsilon = row.config.norm_epsilon;
  const at::Tensor attended = x.add(attention(rms_norm(x, attention_norm, epsilon), row));  // (T, C)
  const at::Tensor normed = rms_norm(attended, ffn_norm, epsilon);
  return attended.add(router.defined() ? mixture(normed, row.config) : experts.front()(normed));
}

at::Tensor TransformerLayer::attention(const at::Tensor& normed, const RowContext& row) const {
  const ModelConfig& c = row.config;
  const std::int64_t tokens = normed.size(0), d = c.head_size;
  at::Tensor q = query(normed).view({tokens, c.heads, d}), k = key(normed).view({tokens, c.kv_heads, d});
  if (query_norm.defined()) {
    q = head_norm(q, query_norm, c.norm_epsilon);
    k = head_norm(k, key_norm, c.norm_epsilon);
  }
  const at::Tensor v = value(normed).view({tokens, c.kv_heads, d});
  const at::Tensor mixed = row.attend(index, rotate(q, row.rotation), rotate(k, row.rotation), v);
  return output(mixed.reshape({tokens, c.heads * d}));
}

// Each token goes through the experts that its router likes best (Qwen3's mixture: softmax over all experts first, then
// the largest of them).
at::Tensor TransformerLayer::mixture(const at::Tensor& normed, const ModelConfig& c) const {
  const at::Tensor likes = at::softmax(at::linear(normed, router), -1, at::kFloat);  // (T, E)
  auto [weights, chosen] = at::topk(likes, c.experts_used, /*dim=*/-1);              // (T, K)
  if (c.normalised_experts) weights = weights.div(weights.sum(-1, /*keepdim=*/true));
  weights = weights.to(normed.scalar_type());
  at::Tensor result = at::zeros_like(normed);
  for (std::int64_t e = 0; e < c.experts; ++e) {
    const at::Tensor places = at::nonzero(chosen.eq(e));  // (n, 2): token, which of its choices
    if (places.size(0) == 0) continue;
    const at::Tensor tokens = places.select(1, 0);
    const at::Tensor share = weights.reshape({-1}).index_select(0, tokens * c.experts_used + places.select(1, 1));
    const at::Tensor out = experts[static_cast<std::size_t>(e)](normed.index_select(0, tokens));
    result = at::index_add(result, 0, tokens, out.mul(share.unsqueeze(1)));
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
