#include "policy/model.h"

#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>

#include <numeric>

#include "base/check.h"
#include "policy/layers.h"
#include "policy/parameter_layout.h"

namespace kg::policy {
namespace {

// Position of each parameter within a layer and of the first layer, as parameter_layout() orders them.
enum Part { kInputNorm, kQuery, kKey, kValue, kOutput, kFeedForwardNorm, kGate, kUp, kDown, kPartsOfLayer };
constexpr std::size_t kFirstLayer = 1;

at::Tensor positions_within(const std::vector<std::int64_t>& ends) {
  at::Tensor positions = at::empty({ends.back()}, at::kLong);
  std::int64_t* data = positions.mutable_data_ptr<std::int64_t>();
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    std::iota(data + begin, data + end, std::int64_t{0});
    begin = end;
  }
  return positions;
}

std::vector<std::int64_t> ends_of(const std::vector<std::int64_t>& starts, std::int64_t tokens) {
  KG_CHECK(!starts.empty() && starts.front() == 0);
  std::vector<std::int64_t> ends(starts.begin() + 1, starts.end());
  ends.push_back(tokens);
  for (std::size_t i = 0; i < ends.size(); ++i) KG_CHECK_LT(starts[i], ends[i]);
  return ends;
}

}  // namespace

Transformer::Transformer(ModelConfig config, std::vector<NamedTensor> parameters)
    : config_(std::move(config)), parameters_(arrange_parameters(config_, std::move(parameters), "transformer")) {}

at::Tensor Transformer::parameter(const std::string& name) const {
  for (const NamedTensor& parameter : parameters_)
    if (parameter.name == name) return parameter.tensor;
  KG_CHECK_EQ(name, "a parameter of the model");
  return {};
}

at::Tensor Transformer::head_weight() const {
  return config_.tied_embedding ? parameters_.front().tensor : parameters_.back().tensor;
}

at::Tensor Transformer::hidden(const at::Tensor& ids, const std::vector<std::int64_t>& document_starts) const {
  KG_CHECK_EQ(ids.dim(), 1);
  const std::int64_t tokens = ids.size(0), d = config_.head_size;
  const std::vector<std::int64_t> ends = ends_of(document_starts, tokens);
  const Rotation rotation = rotation_of(positions_within(ends).to(ids.device()), d, config_.rope_base);
  at::Tensor x = at::embedding(parameters_.front().tensor, ids);  // (T, C)
  for (std::int64_t i = 0; i < config_.layers; ++i) {
    const auto weight = [&](Part part) -> const at::Tensor& {
      return parameters_[kFirstLayer + static_cast<std::size_t>(i) * kPartsOfLayer + part].tensor;
    };
    at::Tensor normed = rms_norm(x, weight(kInputNorm), config_.norm_epsilon);  // (T, C)
    const at::Tensor query = rotate(at::linear(normed, weight(kQuery)).view({tokens, config_.heads, d}), rotation);
    const at::Tensor key = rotate(at::linear(normed, weight(kKey)).view({tokens, config_.kv_heads, d}), rotation);
    const at::Tensor value = at::linear(normed, weight(kValue)).view({tokens, config_.kv_heads, d});  // (T, K, D)
    const at::Tensor attended = causal_attention(query, key, value, ends).reshape({tokens, config_.heads * d});
    x = x.add(at::linear(attended, weight(kOutput)));  // (T, C)
    normed = rms_norm(x, weight(kFeedForwardNorm), config_.norm_epsilon);
    const at::Tensor inner = swiglu(at::linear(normed, weight(kGate)), at::linear(normed, weight(kUp)));  // (T, F)
    x = x.add(at::linear(inner, weight(kDown)));                                                          // (T, C)
  }
  const std::size_t last_norm = kFirstLayer + static_cast<std::size_t>(config_.layers) * kPartsOfLayer;
  return rms_norm(x, parameters_[last_norm].tensor, config_.norm_epsilon);
}

}  // namespace kg::policy
