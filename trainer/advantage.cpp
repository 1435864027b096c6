#include "trainer/advantage.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/check.h"

namespace kg::trainer {
namespace {

constexpr double kAlike = 1e-12;  // rewards that differ by less are the same

double total_penalty(const ScoredAnswer& answer) {
  return std::accumulate(answer.penalty.begin(), answer.penalty.end(), 0.0);
}

std::vector<std::vector<double>> by_group(const std::vector<ScoredAnswer>& answers, const AdvantageRule& rule) {
  std::map<std::uint32_t, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < answers.size(); ++i) groups[answers[i].group].push_back(i);
  std::vector<std::vector<double>> result(answers.size());
  for (const auto& [group, members] : groups) {
    std::vector<double> rewards;
    for (const std::size_t i : members) rewards.push_back(answers[i].reward - total_penalty(answers[i]));
    const auto some = group_advantages(rewards, rule);
    for (std::size_t i = 0; some && i < members.size(); ++i) result[members[i]] = {(*some)[i]};
  }
  return result;
}

// The return of each token: the reward less the penalties that are still to come.
std::vector<double> returns_of(const ScoredAnswer& answer) {
  std::vector<double> returns(static_cast<std::size_t>(answer.tokens), answer.reward);
  double still = 0;
  for (std::size_t t = answer.penalty.size(); t-- > 0;) {
    still += answer.penalty[t];
    returns[t] -= still;
  }
  return returns;
}

std::vector<std::vector<double>> over_batch(const std::vector<ScoredAnswer>& answers, const AdvantageRule& rule) {
  std::vector<std::vector<double>> result;
  double count = 0, sum = 0, square = 0, low = INFINITY, high = -INFINITY;
  for (const ScoredAnswer& answer : answers) {
    result.push_back(returns_of(answer));
    for (const double value : result.back()) {
      ++count;
      sum += value;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (count < 2 || high - low < kAlike) return std::vector<std::vector<double>>(answers.size());
  for (const std::vector<double>& values : result)
    for (const double value : values) square += (value - sum / count) * (value - sum / count);
  const double scale = rule.divide_by_std ? 1 / (std::sqrt(square / (count - 1)) + kAdvantageEpsilon) : 1;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    for (double& value : result[i]) value = (value - sum / count) * scale;
    if (answers[i].penalty.empty()) result[i].resize(1);
  }
  return result;
}

}  // namespace

std::vector<std::vector<double>> advantages(const std::vector<ScoredAnswer>& answers, const AdvantageRule& rule) {
  for (const ScoredAnswer& answer : answers) {
    KG_CHECK_GT(answer.tokens, 0);
    KG_CHECK(answer.penalty.empty() || static_cast<std::int64_t>(answer.penalty.size()) == answer.tokens);
  }
  switch (rule.baseline) {
    case AdvantageBaseline::kGroupMean:
    case AdvantageBaseline::kLeaveOneOut:
      return by_group(answers, rule);
    case AdvantageBaseline::kBatch:
      return over_batch(answers, rule);
    case AdvantageBaseline::kCorrect:
      break;
  }
  std::vector<std::vector<double>> result(answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (answers[i].correct) result[i] = {1.0};
  return result;
}

std::optional<std::vector<double>> group_advantages(const std::vector<double>& rewards, const AdvantageRule& rule) {
  if (rewards.size() < 2) return std::nullopt;
  const auto [low, high] = std::minmax_element(rewards.begin(), rewards.end());
  if (*high - *low < kAlike) return std::nullopt;
  const auto count = static_cast<double>(rewards.size());
  const double sum = std::accumulate(rewards.begin(), rewards.end(), 0.0);
  const double mean = sum / count;
  double square = 0;
  for (const double reward : rewards) square += (reward - mean) * (reward - mean);
  const double scale = rule.divide_by_std ? 1.0 / (std::sqrt(square / (count - 1)) + kAdvantageEpsilon) : 1.0;
  std::vector<double> result;
  for (const double reward : rewards) {
    const double baseline = rule.baseline == AdvantageBaseline::kLeaveOneOut ? (sum - reward) / (count - 1) : mean;
    result.push_back((reward - baseline) * scale);
  }
  return result;
}

double overlong_penalty(std::int64_t tokens, std::int64_t limit, std::int64_t buffer) {
  if (buffer <= 0 || tokens <= limit - buffer) return 0;
  return std::max(-1.0, static_cast<double>(limit - buffer - tokens) / static_cast<double>(buffer));
}

}  // namespace kg::trainer
