#include "policy/generation/distribution.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "policy/generation/sampling_filter.h"

namespace kg::policy {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

at::Tensor seen_before(const at::Tensor& logits, const std::vector<std::vector<std::int32_t>>& previous) {
  KG_CHECK_EQ(static_cast<std::int64_t>(previous.size()), logits.size(0));
  at::Tensor seen = at::zeros(logits.sizes(), at::kBool);  // (N, V)
  bool* p = seen.data_ptr<bool>();
  for (std::size_t row = 0; row < previous.size(); ++row)
    for (const std::int32_t token : previous[row]) p[static_cast<std::int64_t>(row) * logits.size(1) + token] = true;
  return seen.to(logits.device());
}

at::Tensor cutoffs(const at::Tensor& logits, const proto::SamplingParameters& sampling) {
  const at::Tensor rows = logits.detach().to(at::kCPU).contiguous();  // (N, V)
  const std::int64_t n = rows.size(0), vocabulary = rows.size(1);
  at::Tensor result = at::empty({n, 1}, at::kFloat);
  const float* from = rows.const_data_ptr<float>();
  float* to = result.data_ptr<float>();
  at::parallel_for(0, n, /*grain_size=*/1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
      to[row] = filter_cutoff({from + row * vocabulary, static_cast<std::size_t>(vocabulary)}, sampling);
  });
  return result.to(logits.device());
}

}  // namespace

at::Tensor sampling_log_probs(const at::Tensor& logits, const proto::SamplingParameters& sampling,
                              const std::vector<std::vector<std::int32_t>>& previous) {
  KG_CHECK_EQ(logits.dim(), 2);
  KG_CHECK(logits.scalar_type() == at::kFloat);
  at::Tensor row = logits;  // (N, V)
  if (has_penalty(sampling)) {
    const double penalty = sampling.repetition_penalty();
    const at::Tensor lowered = at::where(row > 0, row / penalty, row * penalty);
    row = at::where(seen_before(logits, previous), lowered, row);
  }
  if (is_greedy(sampling)) {
    // All mass on the first maximum, as the sampler draws it; nothing to differentiate.
    const at::Tensor fixed = row.detach();
    at::Tensor result = at::full_like(fixed, kMinusInfinity);
    return result.scatter_(1, fixed.argmax(1, /*keepdim=*/true), 0.0);
  }
  at::Tensor scaled = sampling.temperature() == 1 ? row : row / static_cast<double>(sampling.temperature());
  if (has_filter(sampling)) scaled = scaled.masked_fill(row.detach() < cutoffs(row, sampling), kMinusInfinity);
  return at::log_softmax(scaled, 1);
}

void keep_drawable(const at::Tensor& logits, const proto::SamplingParameters& sampling,
                   std::span<const proto::KeptSet* const> kept) {
  KG_CHECK(logits.scalar_type() == at::kFloat);
  KG_CHECK(!has_penalty(sampling) && !is_greedy(sampling));
  const std::int64_t n = logits.size(0), vocabulary = logits.size(1);
  KG_CHECK(kept.empty() || static_cast<std::int64_t>(kept.size()) == n);
  const bool some_unknown = kept.empty() || std::find(kept.begin(), kept.end(), nullptr) != kept.end();
  const at::Tensor from = has_filter(sampling) && some_unknown ? cutoffs(logits, sampling) : at::Tensor();  // (N, 1)
  if (kept.empty()) {
    if (from.defined()) logits.masked_fill_(logits < from, kMinusInfinity);
    return;
  }
  const at::Tensor removed = logits.is_cpu() ? at::Tensor() : at::zeros(logits.sizes(), at::kBool);  // (N, V)
  KG_CHECK(logits.is_contiguous());
  // The tokens between those that were kept.
  const auto remove_others = [&](const proto::KeptSet& set, auto* row, auto as) {
    std::int64_t next = 0;
    for (const std::int32_t token : set.tokens) {
      std::fill(row + next, row + token, as);
      next = token + 1;
    }
    std::fill(row + next, row + vocabulary, as);
  };
  at::parallel_for(0, n, /*grain_size=*/1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const proto::KeptSet* const set = kept[static_cast<std::size_t>(i)];
      if (set == nullptr || set->whole) continue;
      if (removed.defined())
        remove_others(*set, removed.mutable_data_ptr<bool>() + i * vocabulary, true);
      else
        remove_others(*set, logits.mutable_data_ptr<float>() + i * vocabulary, kMinusInfinity);
    }
  });
  if (removed.defined()) logits.masked_fill_(removed.to(logits.device()), kMinusInfinity);
  if (!from.defined()) return;
  for (std::int64_t i = 0; i < n; ++i)
    if (kept[static_cast<std::size_t>(i)] == nullptr) {
      const at::Tensor row = logits[i];  // (V)
      row.masked_fill_(row < from[i], kMinusInfinity);
    }
}

}  // namespace kg::policy
