#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kg::trainer {

// What the reward of a rollout is compared with, and how the difference is scaled.
enum class AdvantageBaseline {
  kGroupMean,    // of the task's answers (GRPO)
  kLeaveOneOut,  // mean of the other answers to the task (RLOO)
  kBatch,        // mean over all tokens of the update (REINFORCE++)
  kCorrect,      // none: 1 for a correct answer, 0 for another (rejection fine-tuning)
};
struct AdvantageRule {
  AdvantageBaseline baseline = AdvantageBaseline::kGroupMean;
  bool divide_by_std = true;  // standard deviation with n - 1, as PyTorch's default
};
inline constexpr double kAdvantageEpsilon = 1e-4;  // added to the standard deviation

// One answer as its advantage follows from it.
struct ScoredAnswer {
  std::uint32_t group = 0;
  double reward = 0;
  bool correct = false;
  std::int64_t tokens = 1;
  std::vector<double> penalty;  // of each token, taken from the reward; empty: none
};

// Advantage of each token of each answer; one number where all tokens of an answer have the same. No number: the answer
// has nothing to teach (its group has fewer than two answers, or all rewards alike; kCorrect: it is wrong).
// A penalty counts as a whole towards the reward of a group's answer (TRL's RLOO); with kBatch each token has the
// reward less the penalties from it to the answer's end (REINFORCE++, arXiv 2501.03262, eq. 4).
std::vector<std::vector<double>> advantages(const std::vector<ScoredAnswer>& answers, const AdvantageRule& rule);

// Of one group's rewards, with kGroupMean or kLeaveOneOut. Nothing if they are fewer than two, or all alike.
std::optional<std::vector<double>> group_advantages(const std::vector<double>& rewards, const AdvantageRule& rule);

// Soft overlong penalty (DAPO, arXiv 2503.14476, eq. 13), added to the reward: 0 up to limit - buffer tokens, then
// falling to -1 at the limit. `buffer` 0: none.
double overlong_penalty(std::int64_t tokens, std::int64_t limit, std::int64_t buffer);

}  // namespace kg::trainer
