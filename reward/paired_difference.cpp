#include "reward/paired_difference.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/random.h"

namespace kg::reward {
namespace {

constexpr int kResamples = 10000;
constexpr std::uint64_t kSeed = 20261122;

struct Share {
  std::string cluster;
  double correct = 0, answers = 0;
  double value() const { return correct / answers; }
};

std::map<std::string, Share> shares(const std::vector<JudgedAnswer>& answers) {
  std::map<std::string, Share> tasks;
  for (const JudgedAnswer& answer : answers) {
    if (!answer.valid) continue;
    Share& share = tasks[answer.task];
    share.cluster = answer.cluster.empty() ? answer.task : answer.cluster;
    share.answers += 1;
    share.correct += answer.correct ? 1 : 0;
  }
  return tasks;
}

struct Cluster {
  double difference = 0, tasks = 0;
};

// Share of resamples at one side, never taken for zero: one more of each is assumed.
double tail(std::ptrdiff_t count) { return static_cast<double>(count + 1) / (kResamples + 1); }

}  // namespace

PairedDifference paired_difference(const std::vector<JudgedAnswer>& first, const std::vector<JudgedAnswer>& second) {
  const std::map<std::string, Share> ours = shares(first), theirs = shares(second);
  std::map<std::string, Cluster> by_name;
  PairedDifference result;
  for (const auto& [task, one] : ours) {
    const auto other = theirs.find(task);
    if (other == theirs.end()) continue;
    Cluster& cluster = by_name[one.cluster];
    cluster.difference += one.value() - other->second.value();
    cluster.tasks += 1;
    result.first += one.value();
    result.second += other->second.value();
    ++result.tasks;
  }
  result.clusters = by_name.size();
  if (result.tasks == 0) return result;
  result.first /= static_cast<double>(result.tasks);
  result.second /= static_cast<double>(result.tasks);
  result.difference = result.first - result.second;

  std::vector<Cluster> clusters;
  for (const auto& [name, cluster] : by_name) clusters.push_back(cluster);
  Philox random(kSeed, /*stream=*/0);
  std::vector<double> means(kResamples);
  for (double& mean : means) {
    Cluster drawn;
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      const Cluster& cluster = clusters[random.next_below(clusters.size())];
      drawn.difference += cluster.difference;
      drawn.tasks += cluster.tasks;
    }
    mean = drawn.difference / drawn.tasks;
  }
  std::sort(means.begin(), means.end());
  result.low = means[static_cast<std::size_t>(0.025 * (kResamples - 1))];
  result.high = means[static_cast<std::size_t>(0.975 * (kResamples - 1))];
  const auto not_above = std::upper_bound(means.begin(), means.end(), 0.0) - means.begin();
  const auto not_below = means.end() - std::lower_bound(means.begin(), means.end(), 0.0);
  result.p_value = std::min(1.0, 2 * std::min(tail(not_above), tail(not_below)));
  return result;
}

}  // namespace kg::reward
