#include "policy/generation/sampler.h"

#include <algorithm>
#include <bit>
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

constexpr std::size_t kFew = 4096;  // tokens that are drawn from one by one

// The tokens of a mask; nothing if they are more than a few.
std::vector<std::int32_t> few_tokens(const TokenMask& mask) {
  std::size_t count = 0;
  for (const std::uint64_t bits : mask) count += static_cast<std::size_t>(std::popcount(bits));
  std::vector<std::int32_t> tokens;
  if (count > kFew) return tokens;
  tokens.reserve(count);
  for (std::size_t word = 0; word < mask.size(); ++word)
    for (std::uint64_t bits = mask[word]; bits != 0; bits &= bits - 1)
      tokens.push_back(static_cast<std::int32_t>(64 * word + static_cast<std::size_t>(std::countr_zero(bits))));
  return tokens;
}

// In the form that exponentials() needs: elements not below the cut-off.
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
  if (allowed != nullptr)
    if (std::vector<std::int32_t> few = few_tokens(*allowed); !few.empty())
      return draw_few(logits, std::move(few), sampling, uniform);
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

Draw Sampler::draw_few(std::span<const float> logits, std::vector<std::int32_t> tokens,
                       const proto::SamplingParameters& sampling, double uniform) {
  few_.clear();
  for (const std::int32_t token : tokens) few_.push_back(logits[static_cast<std::size_t>(token)]);
  const float top = *std::max_element(few_.begin(), few_.end());
  if (is_greedy(sampling)) return {tokens[static_cast<std::size_t>(first_maximum(few_, top))], 0.0f};
  const double scale = 1.0 / sampling.temperature();
  const float cutoff = filter_cutoff(few_, sampling);
  double total = 0;
  weights_.clear();
  for (const float logit : few_) total += weights_.emplace_back(logit < cutoff ? 0 : std::exp((logit - top) * scale));
  if (!std::isfinite(total) || !std::isfinite(top) || total <= 0) not_numbers();
  double below = 0;
  std::size_t chosen = 0;  // rounding may leave the sum short of the target: the last with any weight is meant
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (weights_[i] <= 0) continue;
    chosen = i;
    below += weights_[i];
    if (below > uniform * total) break;
  }
  const std::int32_t token = tokens[chosen];
  const auto log_prob = static_cast<float>((few_[chosen] - top) * scale - std::log(total));
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (few_[i] < cutoff) tokens[i] = -1;
  std::erase(tokens, -1);
  return {token, log_prob, std::move(tokens)};
}

}  // namespace kg::policy
