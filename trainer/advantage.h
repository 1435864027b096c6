#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kg::trainer {

// The baseline for the reward of a rollout, and the scaling of the difference.
enum class AdvantageBaseline {
  kGroupMean,    // mean of the task's answers (GRPO)
  kLeaveOneOut,  // mean of the other answers to the task (RLOO)
  kBatch,        // mean over all tokens of the update (REINFORCE++)
  kCorrect,      // none: 1 for a correct answer, 0 for any other (rejection fine-tuning)
};
struct AdvantageRule {
  AdvantageBaseline baseline = AdvantageBaseline::kGroupMean;
  bool divide_by_std = true;  // standard deviation with n - 1, as in PyTorch by default
};
inline constexpr double kAdvantageEpsilon = 1e-4;  // added to the standard deviation

// The properties of an answer that determine its advantage.
struct ScoredAnswer {
  std::uint32_t group = 0;
  double reward = 0;
  bool correct = false;
  std::int64_t tokens = 1;
  std::vector<double> penalty;  // for each token, subtracted from the reward; empty: none
};

// Advantage of each token of each answer; one number if all tokens of an answer have the same. No number: the answer
// teaches nothing (its group has fewer than two answers, or equal rewards only; kCorrect: it is wrong).
// A penalty counts as a whole towards the reward of a group's answer (TRL's RLOO); with kBatch each token gets the
// reward less the penalties from there to the answer's end (REINFORCE++, arXiv 2501.03262, eq. 4).
std::vector<std::vector<double>> advantages(const std::vector<ScoredAnswer>& answers, const AdvantageRule& rule);

// For one group's rewards, with kGroupMean or kLeaveOneOut. Nothing if there are fewer than two, or all are equal.
std::optional<std::vector<double>> group_advantages(const std::vector<double>& rewards, const AdvantageRule& rule);

// Soft overlong penalty (DAPO, arXiv 2503.14476, eq. 13), added to the reward: 0 up to limit - buffer tokens, then
// falling to -1 at the limit. `buffer` 0: none.
double overlong_penalty(std::int64_t tokens, std::int64_t limit, std::int64_t buffer);

}  // namespace kg::trainer
