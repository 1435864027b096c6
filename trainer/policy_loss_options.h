#pragma once

#include <string>

// The switches of the policy-gradient loss, without LibTorch: the options of the command and the table of algorithms
// are made of them.
namespace kg::trainer {

// How the ratio of probabilities, trained weights against those at the start of the update, enters the objective.
enum class Surrogate {
  kClipped,   // min(ratio A, clip(ratio) A): no gradient beyond the clip (PPO, arXiv 1707.06347, eq. 7)
  kDetached,  // clip(ratio), as a constant, times A log pi: every token keeps a gradient (CISPO, arXiv 2506.13585, eq.
              // 4)
  kLogProb,   // A log pi, no ratio (REINFORCE; with A = 1 on correct answers, rejection fine-tuning)
};

enum class RatioLevel {
  kToken,
  kSequence,  // exp of the mean log-ratio over the answer (GSPO, arXiv 2507.18071, eq. 7)
};

// What accounts for the sampler's distribution not being the trainer's: other weights (staleness), other arithmetic.
// `ratio` = exp(old - sampler) of a token.
enum class Correction {
  kNone,
  kToken,         // min(ratio, cap) (truncated importance sampling)
  kSequence,      // min(product of the answer's ratios, cap)
  kTokenMask,     // ratio where it is in [mask_low, mask_high], else 0 (IcePop)
  kSequenceMask,  // 1 where the answer's mean |log ratio| is at most the limit, else 0 (MirrorPop)
};

// Estimators of KL(policy || reference) from the policy's own samples (Schulman, "Approximating KL divergence", 2020),
// with d = log reference - log policy.
enum class KlEstimator {
  k1,  // -d: unbiased; as a loss its gradient has mean 0 whatever the models are, so it is for the reward alone
  k2,  // d^2 / 2: biased; as a loss its gradient is that of KL(policy || reference)
  k3,  // exp(d) - 1 - d: unbiased, never negative; as a loss its gradient is that of KL(reference || policy)
};

struct PolicyLossOptions {
  Surrogate surrogate = Surrogate::kClipped;
  RatioLevel ratio = RatioLevel::kToken;
  double clip_low = 0.2;    // the ratio is kept at or above 1 - clip_low
  double clip_high = 0.28;  // and at or below 1 + clip_high (DAPO's "clip higher")
  double dual_clip =
      0;  // for A < 0 the objective is at least this times A (arXiv 1912.09729, eq. 5); 0 = off, else > 1
  Correction correction = Correction::kToken;
  double importance_cap = 2.0;                    // of kToken, kSequence
  double mask_low = 0.5, mask_high = 5.0;         // of kTokenMask
  double sequence_limit = 0.05;                   // of kSequenceMask, nats a token
  static constexpr double kLargestLogRatio = 20;  // beyond it a ratio of probabilities is taken as e^20, or e^-20
  double kl_weight = 0.0;                         // of the divergence from the reference model; 0: no reference needed
  KlEstimator kl_estimator = KlEstimator::k3;
  bool kl_in_reward = false;  // instead of the loss; always k1

  bool kl_in_loss() const { return kl_weight > 0 && !kl_in_reward; }
  // Of the whole answer, so that a pass without gradients has to come first.
  bool corrects_sequences() const {
    return correction == Correction::kSequence || correction == Correction::kSequenceMask;
  }
};

Correction correction_from_name(const std::string& name);  // "none", "token", "sequence", "token-mask", "sequence-mask"
KlEstimator kl_estimator_from_name(const std::string& name);  // "k1", "k2", "k3"

}  // namespace kg::trainer
