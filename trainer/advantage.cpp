#include "trainer/advantage.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kg::trainer {

std::optional<std::vector<double>> group_advantages(const std::vector<double>& rewards, const AdvantageRule& rule) {
  if (rewards.size() < 2) return std::nullopt;
  const auto [low, high] = std::minmax_element(rewards.begin(), rewards.end());
  if (*high - *low < 1e-12) return std::nullopt;
  const auto count = static_cast<double>(rewards.size());
  const double sum = std::accumulate(rewards.begin(), rewards.end(), 0.0);
  const double mean = sum / count;
  double square = 0;
  for (const double reward : rewards) square += (reward - mean) * (reward - mean);
  const double scale = rule.divide_by_std ? 1.0 / (std::sqrt(square / (count - 1)) + kAdvantageEpsilon) : 1.0;
  std::vector<double> advantages;
  for (const double reward : rewards) {
    const double baseline = rule.baseline == AdvantageBaseline::kLeaveOneOut ? (sum - reward) / (count - 1) : mean;
    advantages.push_back((reward - baseline) * scale);
  }
  return advantages;
}

}  // namespace kg::trainer
