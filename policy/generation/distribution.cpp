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

at::Tensor kept_log_probs(const at::Tensor& logits, const proto::SamplingParameters& sampling,
                          std::span<const proto::KeptSet* const> kept) {
  KG_CHECK_EQ(static_cast<std::int64_t>(kept.size()), logits.size(0));
  KG_CHECK(!has_penalty(sampling) && !is_greedy(sampling));
  at::Tensor removed = at::zeros(logits.sizes(), at::kBool);  // (N, V)
  bool some_unknown = false;
  for (std::size_t row = 0; row < kept.size(); ++row) {
    some_unknown |= kept[row] == nullptr;
    if (kept[row] == nullptr || kept[row]->whole) continue;
    bool* of_row = removed.data_ptr<bool>() + static_cast<std::int64_t>(row) * logits.size(1);
    std::fill_n(of_row, logits.size(1), true);
    for (const std::int32_t token : kept[row]->tokens) of_row[token] = false;
  }
  if (some_unknown) {
    const at::Tensor below = (logits.detach() < cutoffs(logits, sampling)).to(at::kCPU);  // (N, V)
    for (std::size_t row = 0; row < kept.size(); ++row)
      if (kept[row] == nullptr) removed[static_cast<std::int64_t>(row)].copy_(below[static_cast<std::int64_t>(row)]);
  }
  const at::Tensor scaled =
      sampling.temperature() == 1 ? logits : logits / static_cast<double>(sampling.temperature());  // (N, V)
  return at::log_softmax(scaled.masked_fill(removed.to(logits.device()), kMinusInfinity), 1);
}

}  // namespace kg::policy
