#include "evaluation/paired_difference.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <string>

#include "evaluation/bootstrap.h"

namespace kg::evaluation {
namespace {

constexpr std::uint64_t kSeed = 20261122;

using ByTask = std::map<std::string, TaskOutcome>;

double share(const TaskOutcome& outcome) { return static_cast<double>(outcome.passed) / outcome.samples; }

// Share of resamples at one side, never taken for zero: one more of each is assumed.
double tail(std::ptrdiff_t count, std::size_t of) {
  return static_cast<double>(count + 1) / static_cast<double>(of + 1);
}

}  // namespace

std::string difference_text(const PairedDifference& difference) {
  const std::string points = fmt::format("{:+.1f} points", 100 * difference.difference);
  if (!difference.has_interval()) return points + ", no interval: it takes two structures at least";
  return points + fmt::format(" [{:+.1f}, {:+.1f}], p = {:.4f}", 100 * difference.low, 100 * difference.high,
                              difference.p_value);
}

nlohmann::json json_of(const PairedDifference& difference) {
  nlohmann::json json = {{"tasks", difference.tasks},
                         {"structures", difference.clusters},
                         {"this", difference.first},
                         {"that", difference.second},
                         {"difference", difference.difference},
                         {"low", nullptr},
                         {"high", nullptr},
                         {"p_value", nullptr}};
  if (difference.has_interval())
    json.update({{"low", difference.low}, {"high", difference.high}, {"p_value", difference.p_value}});
  return json;
}

PairedDifference paired_difference(const std::vector<JudgedAnswer>& first, const std::vector<JudgedAnswer>& second) {
  const ByTask ours = correct_by_task(first), theirs = correct_by_task(second);
  std::map<std::string, PairedShares> tasks;
  for (const auto& [task, one] : ours)
    if (const auto other = theirs.find(task); other != theirs.end())
      tasks[task] = {.cluster = one.cluster, .first = share(one), .second = share(other->second)};
  return paired_difference(tasks);
}

PairedDifference paired_difference(const std::map<std::string, PairedShares>& tasks) {
  std::map<std::string, Cluster> by_name;
  PairedDifference result;
  for (const auto& [task, shares] : tasks) {
    Cluster& cluster = by_name[shares.cluster];
    cluster.sum += shares.first - shares.second;
    cluster.count += 1;
    result.first += shares.first;
    result.second += shares.second;
    ++result.tasks;
  }
  result.clusters = by_name.size();
  if (result.tasks == 0) return result;
  result.first /= static_cast<double>(result.tasks);
  result.second /= static_cast<double>(result.tasks);
  result.difference = result.first - result.second;
  if (!result.has_interval()) return result;

  std::vector<Cluster> clusters;
  for (const auto& [name, cluster] : by_name) clusters.push_back(cluster);
  std::vector<double> means = resampled_means(clusters, kSeed);
  std::sort(means.begin(), means.end());
  const auto last = static_cast<double>(means.size() - 1);
  result.low = means[static_cast<std::size_t>(0.025 * last)];
  result.high = means[static_cast<std::size_t>(0.975 * last)];
  const auto not_above = std::upper_bound(means.begin(), means.end(), 0.0) - means.begin();
  const auto not_below = means.end() - std::lower_bound(means.begin(), means.end(), 0.0);
  result.p_value = std::min(1.0, 2 * std::min(tail(not_above, means.size()), tail(not_below, means.size())));
  return result;
}

}  // namespace kg::evaluation
