#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kg::trainer {

// What the reward of a rollout is compared with, and how the difference is scaled.
enum class AdvantageBaseline { kGroupMean, kLeaveOneOut };
struct AdvantageRule {
  AdvantageBaseline baseline = AdvantageBaseline::kGroupMean;
  bool divide_by_std = true;  // standard deviation with n - 1, as PyTorch's default
};
inline constexpr double kAdvantageEpsilon = 1e-4;  // added to the standard deviation

// Advantages of one group of rollouts of the same task. Nothing if the group has no signal: fewer than two rewards, or
// all alike.
std::optional<std::vector<double>> group_advantages(const std::vector<double>& rewards, const AdvantageRule& rule);

}  // namespace kg::trainer
