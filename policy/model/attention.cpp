#include "policy/model/attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/autograd/custom_function.h>

#include "policy/model/tile_product.h"
#include "policy/model/tiled_attention.h"

namespace kg::policy {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

// (T, H, D) -> (T', H, D).
at::Tensor rows(const at::Tensor& x, const Segment& run) { return x.narrow(0, run.begin, run.end - run.begin); }

at::Tensor heads_first(const at::Tensor& x) { return x.transpose(0, 1).unsqueeze(0); }  // (T', H, D) -> (1, H, T', D)
at::Tensor tokens_first(const at::Tensor& x) { return x.squeeze(0).transpose(0, 1); }   // and back

// The type that a CPU computes in: bf16 of bf16 where it multiplies that, else fp32.
at::ScalarType computed_in(const at::Tensor& query) {
  return query.scalar_type() == at::kBFloat16 && query.size(2) % 2 == 0 && bfloat16_products() ? at::kBFloat16
                                                                                               : at::kFloat;
}

struct CpuAttention : torch::autograd::Function<CpuAttention> {
  static Variable forward(AutogradContext* context, const Variable& query, const Variable& key, const Variable& value,
                          const std::vector<Segment>& segments) {
    const at::ScalarType type = computed_in(query);
    const AttentionResult made = tiled_attention(query.to(type), key.to(type), value.to(type), segments);
    const at::Tensor result = made.result.to(query.scalar_type());  // (T, H, D)
    // (T, H, D), (T, K, D), (T, K, D), (T, H, D), (T, H)
    context->save_for_backward({query, key, value, result, made.log_sums});
    std::vector<std::int64_t> flat;
    for (const Segment& s : segments) flat.insert(flat.end(), {s.begin, s.end, s.prompt});
    context->saved_data["segments"] = flat;
    return result;
  }

  // upstream (T, H, D) -> gradients of query (T, H, D), key (T, K, D), value (T, K, D).
  static variable_list backward(AutogradContext* context, const variable_list& upstream) {
    const variable_list saved = context->get_saved_variables();
    const at::ScalarType type = computed_in(saved[0]), given = saved[0].scalar_type();
    std::vector<Segment> segments;
    const std::vector<std::int64_t> flat = context->saved_data["segments"].toIntVector();
    for (std::size_t i = 0; i < flat.size(); i += 3) segments.push_back({flat[i], flat[i + 1], flat[i + 2]});
    const AttentionGradients gradients =
        tiled_attention_backward(upstream[0].to(type), saved[0].to(type), saved[1].to(type), saved[2].to(type),
                                 {saved[3].to(type), saved[4]}, segments);
    return {gradients.query.to(given), gradients.key.to(given), gradients.value.to(given), Variable()};
  }
};

// By the device's own attention, segment by segment: keys and values of a prompt once more before those of each answer.
at::Tensor attention_by_segments(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                 const std::vector<Segment>& segments) {
  const bool grouped = query.size(1) != key.size(1);
  std::vector<at::Tensor> results;
  for (const Segment& segment : segments) {
    at::Tensor keys = rows(key, segment), values = rows(value, segment);  // (T', K, D)
    std::optional<at::Tensor> mask;
    if (segment.prompt >= 0) {
      const Segment& prompt = segments[static_cast<std::size_t>(segment.prompt)];
      keys = at::cat({rows(key, prompt), keys});        // (P + T', K, D), P tokens of the prompt
      values = at::cat({rows(value, prompt), values});  // (P + T', K, D)
      mask = at::ones({segment.end - segment.begin, keys.size(0)}, query.options().dtype(at::kBool))
                 .tril(prompt.end - prompt.begin);  // (T', P + T')
    }
    results.push_back(tokens_first(at::scaled_dot_product_attention(
        heads_first(rows(query, segment)), heads_first(keys), heads_first(values), mask, /*dropout_p=*/0.0,
        /*is_causal=*/!mask.has_value(), /*scale=*/std::nullopt, /*enable_gqa=*/grouped)));  // (T', H, D)
  }
  return results.size() == 1 ? results.front() : at::cat(results);  // (T, H, D)
}

}  // namespace

CausalAttention::CausalAttention(std::vector<Segment> segments, at::Device device) : segments_(std::move(segments)) {
  if (!device.is_cuda()) return;
  std::vector<AttentionRuns::Run> runs;
  std::vector<std::int64_t> places;
  bool shared = false;
  const auto add = [&](const Segment& from) {
    for (std::int64_t i = from.begin; i < from.end; ++i) places.push_back(i);
  };
  for (const Segment& segment : segments_) {
    const std::int64_t before = static_cast<std::int64_t>(places.size());
    if (segment.prompt >= 0) add(segments_[static_cast<std::size_t>(segment.prompt)]);
    shared |= segment.prompt >= 0;
    add(segment);
    runs.push_back({segment.end - segment.begin, static_cast<std::int64_t>(places.size()) - before});
  }
  runs_.emplace(runs, device);
  if (shared) key_places_ = at::tensor(places, at::kLong).to(device);
}

at::Tensor CausalAttention::operator()(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const {
  if (query.is_cpu()) return CpuAttention::apply(query, key, value, segments_);
  if (!runs_.has_value() || !AttentionRuns::takes(query)) return attention_by_segments(query, key, value, segments_);
  if (!key_places_.defined()) return runs_->attend(query, key, value);
  return runs_->attend(query, key.index_select(0, key_places_), value.index_select(0, key_places_));
}

}  // namespace kg::policy
