#pragma once

#include <ATen/core/Tensor.h>

#include "trainer/policy_loss_options.h"

namespace kg::trainer {

// Log-probabilities of N answer tokens, all under the distribution that the tokens were drawn from.
struct PolicyLossInput {
  at::Tensor current;    // (N) of the weights being trained, differentiable
  at::Tensor old;        // (N) of the weights at the start of the update, by the trainer
  at::Tensor sampler;    // (N) as the generator recorded them
  at::Tensor reference;  // (N) of the reference model; undefined if the loss has no divergence from one
  at::Tensor advantage;  // (N) of each token
  at::Tensor weight;     // (N) of each token in the sum (trainer/algorithm.h: token_weights)
  // Of each token's whole answer, from passes without gradients:
  at::Tensor sequence_log_ratio;   // (N) mean of current - old; undefined: 0, as in the first step of an update
  at::Tensor sequence_correction;  // (N) what sequence_correction() gives; undefined unless it is asked for
};

struct PolicyLoss {
  at::Tensor loss;              // scalar, differentiable
  double clipped_tokens = 0;    // tokens without a gradient since their ratio is beyond the clip, a count
  double corrected_tokens = 0;  // tokens that the correction caps or masks, a count
  double kl_sum = 0;  // sum over tokens of weight x k3; against the reference if there is one, else against the sampler
  double difference_sum = 0;  // sum over tokens of |old - sampler|
  double difference_max = 0;
};

// - sum of weight x correction x objective (+ kl_weight x divergence). Every objective is a factor without gradient
// times the token's own log-probability as far as its gradient goes: what concerns whole answers comes in as numbers of
// a pass before, and the loss stays a sum over tokens (trainer/answer_loss.h), whose logits need not be in memory
// together. The value of the loss is the objective's own.
PolicyLoss policy_loss(const PolicyLossInput& input, const PolicyLossOptions& options);

// The correction of one answer of (n) tokens, `options.corrects_sequences()`: a number of at least 0.
double sequence_correction(const at::Tensor& old, const at::Tensor& sampler, const PolicyLossOptions& options);

// The divergence's estimate of each token. k3's d is bounded by kLargestLogRatio. (N)
at::Tensor kl_estimate(const at::Tensor& current, const at::Tensor& reference, KlEstimator estimator);

}  // namespace kg::trainer
