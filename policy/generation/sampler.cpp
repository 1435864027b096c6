#include "policy/generation/sampler.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/error.h"
#include "policy/generation/decode_kernels.h"
#include "policy/generation/sampling_filter.h"

namespace kg::policy {
namespace {

// The logit of a token that a grammar does not allow: finite, so that differences of two are numbers.
constexpr float kRemoved = -1e30f;

[[noreturn]] void not_numbers() {
  throw Error("the logits are not finite numbers", "sampling", "the weights have diverged: lower the learning rate",
              Error::Kind::kFailed);
}

std::int32_t first_maximum(std::span<const float> row, float top) {
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] == top) return static_cast<std::int32_t>(i);
  not_numbers();
}

// As exponentials() takes them: what is not below the cut-off.
std::vector<std::int32_t> kept_tokens(std::span<const float> logits, float cutoff) {
  std::vector<std::int32_t> kept;
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (!(logits[i] < cutoff)) kept.push_back(static_cast<std::int32_t>(i));
  if (kept.size() == logits.size()) kept.clear();
  return kept;
}

}  // namespace

Draw Sampler::draw(std::span<const float> logits, const proto::SamplingParameters& sampling, double uniform,
                   std::span<const std::int32_t> previous, const TokenMask* allowed) {
  const DecodeKernels& kernels = decode_kernels();
  const auto n = static_cast<std::int64_t>(logits.size());
  if (has_penalty(sampling)) {
    row_.assign(logits.begin(), logits.end());
    seen_.assign(logits.size(), false);
    for (const std::int32_t token : previous) {
      if (!seen_[token]) row_[token] = penalised(row_[token], sampling.repetition_penalty());
      seen_[token] = true;
    }
    logits = row_;
  }
  if (allowed != nullptr) {
    if (!has_penalty(sampling)) row_.assign(logits.begin(), logits.end());
    for (std::size_t i = 0; i < row_.size(); ++i)
      if (!has_token(*allowed, i)) row_[i] = kRemoved;
    logits = row_;
  }
  const float top = kernels.maximum(logits.data(), n);
  if (is_greedy(sampling)) return {first_maximum(logits, top), 0.0f};

  const float scale = 1.0f / sampling.temperature();
  const float cutoff = std::max(filter_cutoff(logits, sampling), allowed != nullptr ? kRemoved / 2 : -HUGE_VALF);
  runs_.resize(static_cast<std::size_t>((n + kSoftmaxRun - 1) / kSoftmaxRun));
  kernels.exponential_sums(logits.data(), n, top, scale, cutoff, runs_.data());
  double total = 0;
  for (const float run : runs_) total += run;
  if (!std::isfinite(total) || !std::isfinite(top) || total <= 0) not_numbers();
  // The run in which the cumulative sum passes uniform * total, then the token in it. Rounding may leave the end of the
  // last run short of the target; the last token with any weight is then meant.
  double below = 0;
  const double target = uniform * total;
  std::size_t run = 0, last_run = 0;
  for (; run < runs_.size(); ++run) {
    if (runs_[run] > 0) last_run = run;
    if (below + runs_[run] > target) break;
    below += runs_[run];
  }
  if (run == runs_.size()) {
    run = last_run;
    below = total - runs_[run];
  }
  const std::int64_t begin = static_cast<std::int64_t>(run) * kSoftmaxRun,
                     size = std::min<std::int64_t>(kSoftmaxRun, n - begin);
  float weights[kSoftmaxRun];
  kernels.exponentials(logits.data() + begin, size, top, scale, cutoff, weights);
  std::int64_t chosen = -1;
  for (std::int64_t i = 0; i < size; ++i) {
    if (weights[i] <= 0) continue;
    chosen = i;
    below += weights[i];
    if (below > target) break;
  }
  KG_CHECK_GE(chosen, 0);
  const std::int64_t token = begin + chosen;
  return {static_cast<std::int32_t>(token), static_cast<float>((logits[token] - top) * scale - std::log(total)),
          leaves_a_part(sampling) ? kept_tokens(logits, cutoff) : std::vector<std::int32_t>{}};
}

}  // namespace kg::policy
