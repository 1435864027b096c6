// Theory of operation. Attention of a token over a prompt and over its own segment is computed in two parts, and the
// parts are put together by the logarithms of their sums of exponentials, L1 and L2: with L = log(e^L1 + e^L2) the
// result is e^(L1 - L) out1 + e^(L2 - L) out2. The gradients need no such step: given the whole result and L, the
// backward pass of a part computes its probabilities as exp(score - L), which are those of the whole, so that the
// parts' gradients simply add up. That way all answers of a group attend to their prompt in one product, and keys and
// values of the prompt stand in memory once.
//
// All of it is computed in fp32: flash attention on CPUs multiplies bf16 by way of fp32 and rounds in between, which
// takes as long and doubles the error of the gradients.
#include "policy/attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/logaddexp.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>

namespace kg::policy {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

at::Tensor rows(const at::Tensor& x, const Segment& run) { return x.narrow(0, run.begin, run.end - run.begin); }

at::Tensor heads_first(const at::Tensor& x) { return x.transpose(0, 1).unsqueeze(0); }  // (1, H, T', D)
at::Tensor widened(const at::Tensor& x) { return x.to(at::kFloat); }
at::Tensor tokens_first(const at::Tensor& x) { return x.squeeze(0).transpose(0, 1); }  // (T', H, D)

// The answers that continue segment `prompt`: one run of tokens, empty if there are none.
Segment answers_to(const std::vector<Segment>& segments, std::size_t prompt) {
  Segment run{.begin = segments[prompt].end, .end = segments[prompt].end};
  for (std::size_t i = prompt + 1; i < segments.size() && segments[i].prompt == static_cast<std::int64_t>(prompt); ++i)
    run.end = segments[i].end;
  return run;
}

// One part: the tokens of `from` look at those of `at`.
struct Part {
  Segment from, at;
  bool causal;
};

std::vector<Part> parts_of(const std::vector<Segment>& segments) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < segments.size(); ++i) parts.push_back({segments[i], segments[i], /*causal=*/true});
  for (std::size_t i = 0; i < segments.size(); ++i)
    if (const Segment answers = answers_to(segments, i); answers.begin < answers.end)
      parts.push_back({answers, segments[i], /*causal=*/false});
  return parts;
}

struct SegmentAttention : torch::autograd::Function<SegmentAttention> {
  static Variable forward(AutogradContext* context, const Variable& query, const Variable& key, const Variable& value,
                          const std::vector<Segment>& segments) {
    const at::Tensor result = at::empty(query.sizes(), query.options());  // (T, H, D)
    const at::Tensor log_sums = at::empty({query.size(0), query.size(1)}, query.options().dtype(at::kFloat));  // (T, H)
    const at::Tensor q = widened(query), k = widened(key), v = widened(value);
    for (const Part& part : parts_of(segments)) {
      const auto [out, sums] = at::_scaled_dot_product_flash_attention_for_cpu(
          heads_first(rows(q, part.from)), heads_first(rows(k, part.at)), heads_first(rows(v, part.at)),
          /*dropout_p=*/0.0, part.causal);
      at::Tensor to = rows(result, part.from), to_sums = rows(log_sums, part.from);
      const at::Tensor fresh = tokens_first(out), fresh_sums = sums.squeeze(0).transpose(0, 1);  // (T', H, D), (T', H)
      if (part.causal) {
        to.copy_(fresh);
        to_sums.copy_(fresh_sums);
        continue;
      }
      const at::Tensor whole = at::logaddexp(to_sums, fresh_sums);    // (T', H)
      const at::Tensor own = at::exp(to_sums - whole).unsqueeze(-1);  // (T', H, 1)
      const at::Tensor prompts = at::exp(fresh_sums - whole).unsqueeze(-1);
      to.copy_(to * own + fresh * prompts);
      to_sums.copy_(whole);
    }
    context->save_for_backward({query, key, value, result, log_sums});
    std::vector<std::int64_t> flat;
    for (const Segment& s : segments) flat.insert(flat.end(), {s.begin, s.end, s.prompt});
    context->saved_data["segments"] = flat;
    return result;
  }

  static variable_list backward(AutogradContext* context, const variable_list& upstream) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor query = widened(saved[0]), key = widened(saved[1]), value = widened(saved[2]),
                     result = widened(saved[3]), &log_sums = saved[4], from_above = widened(upstream[0]);
    std::vector<Segment> segments;
    const std::vector<std::int64_t> flat = context->saved_data["segments"].toIntVector();
    for (std::size_t i = 0; i < flat.size(); i += 3) segments.push_back({flat[i], flat[i + 1], flat[i + 2]});
    // Each token is in one causal part, so that the first gradients are written and those of the prompts' parts added.
    const at::Tensor dquery = at::empty_like(query), dkey = at::empty_like(key), dvalue = at::empty_like(value);
    for (const Part& part : parts_of(segments)) {
      const auto [dq, dk, dv] = at::_scaled_dot_product_flash_attention_for_cpu_backward(
          heads_first(rows(from_above, part.from)), heads_first(rows(query, part.from)),
          heads_first(rows(key, part.at)), heads_first(rows(value, part.at)), heads_first(rows(result, part.from)),
          rows(log_sums, part.from).transpose(0, 1).unsqueeze(0), /*dropout_p=*/0.0, part.causal);
      const auto put = [&](const at::Tensor& whole, const Segment& run, const at::Tensor& gradient) {
        at::Tensor to = rows(whole, run);
        if (part.causal)
          to.copy_(tokens_first(gradient));
        else
          to.add_(tokens_first(gradient));
      };
      put(dquery, part.from, dq);
      put(dkey, part.at, dk);
      put(dvalue, part.at, dv);
    }
    const at::ScalarType type = saved[0].scalar_type();
    return {dquery.to(type), dkey.to(type), dvalue.to(type), Variable()};
  }
};

// By the device's own attention, segment by segment: keys and values of a prompt once more before those of each answer.
at::Tensor attention_by_segments(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                 const std::vector<Segment>& segments) {
  const bool grouped = query.size(1) != key.size(1);
  std::vector<at::Tensor> results;
  for (const Segment& segment : segments) {
    at::Tensor keys = rows(key, segment), values = rows(value, segment);
    std::optional<at::Tensor> mask;
    if (segment.prompt >= 0) {
      const Segment& prompt = segments[static_cast<std::size_t>(segment.prompt)];
      keys = at::cat({rows(key, prompt), keys});
      values = at::cat({rows(value, prompt), values});
      mask = at::ones({segment.end - segment.begin, keys.size(0)}, query.options().dtype(at::kBool))
                 .tril(prompt.end - prompt.begin);
    }
    results.push_back(tokens_first(at::scaled_dot_product_attention(
        heads_first(rows(query, segment)), heads_first(keys), heads_first(values), mask, /*dropout_p=*/0.0,
        /*is_causal=*/!mask.has_value(), /*scale=*/std::nullopt, /*enable_gqa=*/grouped)));
  }
  return results.size() == 1 ? results.front() : at::cat(results);
}

}  // namespace

at::Tensor causal_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const std::vector<Segment>& segments) {
  if (!query.is_cpu()) return attention_by_segments(query, key, value, segments);
  return SegmentAttention::apply(query, key, value, segments);
}

}  // namespace kg::policy
