#include "trainer/policy_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/expm1.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace kg::trainer {
namespace {

constexpr double kBound = PolicyLossOptions::kLargestLogRatio;

at::Tensor bounded_exp(const at::Tensor& log_ratio) { return at::exp(at::clamp(log_ratio, -kBound, kBound)); }

// What multiplies each token's log-probability in the gradient, the objective's own value, and where the clip took the
// gradient away. All (N), without gradient.
struct Factors {
  at::Tensor factor, value, clipped;
};

Factors factors_of(const PolicyLossInput& input, const PolicyLossOptions& options) {
  const at::Tensor current = input.current.detach();  // (N)
  const at::Tensor& advantage = input.advantage;      // (N)
  if (options.surrogate == Surrogate::kLogProb)
    return {advantage, current * advantage, at::zeros_like(current, at::kBool)};
  at::Tensor log_ratio = current - input.old;  // (N)
  if (options.ratio == RatioLevel::kSequence)
    log_ratio = input.sequence_log_ratio.defined() ? input.sequence_log_ratio : at::zeros_like(current);
  const at::Tensor ratio = bounded_exp(log_ratio);                                           // (N)
  const at::Tensor clipped = at::clamp(ratio, 1 - options.clip_low, 1 + options.clip_high);  // (N)
  if (options.surrogate == Surrogate::kDetached) {
    const at::Tensor factor = clipped * advantage;
    return {factor, factor * current, clipped != ratio};
  }
  const at::Tensor free = ratio * advantage, bounded = clipped * advantage;  // (N)
  at::Tensor value = at::minimum(free, bounded);                             // (N)
  at::Tensor without = bounded < free;
  if (options.dual_clip > 0) {
    const at::Tensor floor = options.dual_clip * advantage;
    const at::Tensor below = (advantage < 0).logical_and(value < floor);
    value = at::where(below, floor, value);
    without = without.logical_or(below);
  }
  return {at::where(without, at::zeros_like(free), free), value, without};
}

// (N), without gradient; the second says which tokens the cap or the mask changed.
std::pair<at::Tensor, at::Tensor> correction_of(const PolicyLossInput& input, const PolicyLossOptions& options) {
  const at::Tensor ratio = at::exp(input.old - input.sampler);  // (N)
  switch (options.correction) {
    case Correction::kToken:
      return {at::clamp(ratio, {}, options.importance_cap), ratio > options.importance_cap};
    case Correction::kTokenMask: {
      const at::Tensor kept = (ratio >= options.mask_low).logical_and(ratio <= options.mask_high);
      return {at::where(kept, ratio, at::zeros_like(ratio)), kept.logical_not()};
    }
    case Correction::kSequence:
    case Correction::kSequenceMask:
      KG_CHECK(input.sequence_correction.defined());
      return {input.sequence_correction, options.correction == Correction::kSequence
                                             ? input.sequence_correction >= options.importance_cap
                                             : input.sequence_correction == 0};
    case Correction::kNone:
      break;
  }
  return {at::ones_like(ratio), at::zeros_like(ratio, at::kBool)};
}

}  // namespace

at::Tensor kl_estimate(const at::Tensor& current, const at::Tensor& reference, KlEstimator estimator) {
  const at::Tensor difference = reference - current;  // (N)
  if (estimator == KlEstimator::k1) return -difference;
  if (estimator == KlEstimator::k2) return difference * difference / 2;
  const at::Tensor bounded = at::clamp(difference, -kBound, kBound);
  return at::expm1(bounded) - bounded;  // expm1: no cancellation when the models are close
}

double sequence_correction(const at::Tensor& old, const at::Tensor& sampler, const PolicyLossOptions& options) {
  const at::Tensor difference = (old - sampler).to(at::kDouble);  // (n)
  if (options.correction == Correction::kSequenceMask)
    return at::abs(difference).mean().item<double>() <= options.sequence_limit ? 1 : 0;
  KG_CHECK(options.correction == Correction::kSequence);
  return std::min(std::exp(std::clamp(difference.sum().item<double>(), -kBound, kBound)), options.importance_cap);
}

PolicyLoss policy_loss(const PolicyLossInput& input, const PolicyLossOptions& options) {
  KG_CHECK_EQ(input.current.numel(), input.advantage.numel());
  PolicyLoss result;
  const auto [correction, corrected] = correction_of(input, options);  // (N)
  const Factors factors = factors_of(input, options);                  // (N)
  const at::Tensor weight = input.weight * correction;                 // (N)
  const at::Tensor surrogate = -(weight * factors.factor * input.current).sum();
  result.loss = surrogate - surrogate.detach() - (weight * factors.value).sum();
  if (options.kl_in_loss()) {
    KG_CHECK(input.reference.defined());
    KG_CHECK(options.kl_estimator != KlEstimator::k1);
    const at::Tensor kl = kl_estimate(input.current, input.reference, options.kl_estimator);  // (N)
    result.loss = result.loss + options.kl_weight * (kl * input.weight).sum();
  }
  const at::NoGradGuard no_grad;
  result.clipped_tokens = factors.clipped.sum().item<double>();
  result.corrected_tokens = corrected.sum().item<double>();
  const at::Tensor current = input.current.detach();
  const at::Tensor kl = input.reference.defined() ? kl_estimate(current, input.reference, KlEstimator::k3)
                                                  : kl_estimate(input.sampler, current, KlEstimator::k3);
  result.kl_sum = (kl * input.weight).sum().item<double>();
  const at::Tensor difference = at::abs(input.old - input.sampler);  // (N)
  result.difference_sum = difference.sum().item<double>();
  result.difference_max = difference.numel() > 0 ? difference.max().item<double>() : 0;
  return result;
}

}  // namespace kg::trainer
