#include "trainer/policy_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/expm1.h>
#include <ATen/ops/minimum.h>
#include <c10/core/GradMode.h>

#include "base/check.h"

namespace kg::trainer {

at::Tensor k3_divergence(const at::Tensor& current, const at::Tensor& reference) {
  constexpr double kBound = PolicyLossOptions::kLargestLogRatio;
  const at::Tensor difference = at::clamp(reference - current, -kBound, kBound);  // (N)
  return at::expm1(difference) - difference;  // expm1: no cancellation when the models are close
}

PolicyLoss policy_loss(const PolicyLossInput& input, const PolicyLossOptions& options) {
  KG_CHECK_EQ(input.current.numel(), input.advantage.numel());
  constexpr double kBound = PolicyLossOptions::kLargestLogRatio;
  const at::Tensor ratio = at::exp(at::clamp(input.current - input.old, -kBound, kBound));   // (N)
  const at::Tensor clipped = at::clamp(ratio, 1 - options.clip_low, 1 + options.clip_high);  // (N)
  const at::Tensor free = ratio * input.advantage, bounded = clipped * input.advantage;      // (N)
  at::Tensor objective = at::minimum(free, bounded);                                         // (N)
  if (options.importance_cap > 0)
    objective = objective * at::clamp(at::exp(input.old - input.sampler), {}, options.importance_cap).detach();
  PolicyLoss result;
  result.loss = -(objective * input.weight).sum();
  const bool has_reference = options.kl_weight > 0;
  if (has_reference) {
    KG_CHECK(input.reference.defined());
    const at::Tensor kl = (k3_divergence(input.current, input.reference) * input.weight).sum();
    result.loss = result.loss + options.kl_weight * kl;
    result.kl_sum = kl.item<double>();
  }
  const at::NoGradGuard no_grad;
  result.clipped_tokens = (bounded < free).sum().item<double>();
  if (!has_reference)
    result.kl_sum = (k3_divergence(input.sampler, input.current.detach()) * input.weight).sum().item<double>();
  const at::Tensor difference = at::abs(input.old - input.sampler);  // (N)
  result.difference_sum = difference.sum().item<double>();
  result.difference_max = difference.numel() > 0 ? difference.max().item<double>() : 0;
  return result;
}

}  // namespace kg::trainer
