#pragma once

#include <ATen/core/Tensor.h>

namespace kg::trainer {

struct PolicyLossOptions {
  double clip_low = 0.2;        // the ratio is kept at or above 1 - clip_low
  double clip_high = 0.28;      // and at or below 1 + clip_high (DAPO's "clip higher")
  double importance_cap = 2.0;  // truncated importance weight of trainer against sampler; 0: no correction
  static constexpr double kLargestLogRatio = 20;  // beyond it a ratio of probabilities is taken as e^20, or e^-20
  double kl_weight = 0.0;  // of the k3 estimate against the reference model; 0: no reference needed
};

// Log-probabilities of N answer tokens, all under the distribution that the tokens were drawn from.
struct PolicyLossInput {
  at::Tensor current;    // (N) of the weights being trained, differentiable
  at::Tensor old;        // (N) of the weights at the start of the update, by the trainer
  at::Tensor sampler;    // (N) as the generator recorded them
  at::Tensor reference;  // (N) of the reference model; undefined if kl_weight is 0
  at::Tensor advantage;  // (N) of each token's answer
  at::Tensor weight;     // (N) of each token in the sum (trainer/algorithm.h: token_weights)
};

struct PolicyLoss {
  at::Tensor loss;            // scalar, differentiable
  double clipped_tokens = 0;  // tokens whose ratio was clipped away, a count
  double kl_sum = 0;  // sum over tokens of weight x k3; against the reference if there is one, else against the sampler
  double difference_sum = 0;  // sum over tokens of |old - sampler|
  double difference_max = 0;
};

// Clipped policy gradient (PPO, arXiv 1707.06347, eq. 7) with separate bounds, times min(exp(old - sampler), cap).
PolicyLoss policy_loss(const PolicyLossInput& input, const PolicyLossOptions& options);

// k3 = exp(r - c) - 1 - (r - c): its value is an unbiased estimate of KL(current || reference) from samples of
// `current` (Schulman, "Approximating KL divergence", 2020). As a term of the loss, which is how GRPO uses it, its
// gradient is that of KL(reference || current): the two agree where the models are close. r - c is bounded by
// kLargestLogRatio. (N)
at::Tensor k3_divergence(const at::Tensor& current, const at::Tensor& reference);

}  // namespace kg::trainer
