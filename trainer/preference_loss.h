#pragma once

#include <cstdint>
#include <string>

namespace kg::trainer {

enum class PreferenceLoss {
  kDpo,  // -log sigmoid(beta x margin) (arXiv 2305.18290, eq. 7)
  kIpo,  // (margin of the means over tokens - 1 / (2 beta))^2 (arXiv 2310.12036, eq. 17; divided by lengths as in TRL)
  kKto,  // 1 - sigmoid(+-beta (log-ratio - KL)), each answer by itself (arXiv 2402.01306, eq. 7)
};
PreferenceLoss preference_loss_from_name(const std::string& name);  // "dpo", "ipo", "kto"

struct PreferenceOptions {
  PreferenceLoss loss = PreferenceLoss::kDpo;
  double beta = 0.1;
  double likelihood_weight = 0;   // of -log p(chosen) / tokens (iterative RPO, arXiv 2404.19733, eq. 1)
  double desirable_weight = 1;    // of the chosen answer, kKto
  double undesirable_weight = 1;  // of the rejected one, kKto
};

// A whole answer under the policy and under the model that training began with.
struct AnswerLogProb {
  double policy = 0, reference = 0;  // sums over the tokens, natural logarithm
  std::int64_t tokens = 1;
};

// The loss of one pair, and its derivative by the log-probability of each token of the chosen and of the rejected
// answer, which is the same for all tokens of an answer.
struct PreferenceFactors {
  double loss = 0, chosen = 0, rejected = 0;
  double margin = 0;  // (log-ratio of chosen) - (log-ratio of rejected): the implicit reward difference / beta
};
// `kl`: the policy's mean log-ratio over answers to other prompts, at least 0; kKto alone uses it.
PreferenceFactors preference_factors(const AnswerLogProb& chosen, const AnswerLogProb& rejected, double kl,
                                     const PreferenceOptions& options);

}  // namespace kg::trainer
