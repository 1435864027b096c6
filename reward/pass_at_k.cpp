#include "reward/pass_at_k.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/random.h"

namespace kg::reward {
namespace {

constexpr int kResamples = 10000;
constexpr std::uint64_t kBootstrapSeed = 20260719;

struct Cluster {
  double sum = 0;
  std::uint64_t count = 0;
};

}  // namespace

double pass_at_k(std::uint32_t samples, std::uint32_t passed, std::uint32_t k) {
  if (k == 0 || k > samples) return std::numeric_limits<double>::quiet_NaN();
  if (samples - passed < k) return 1.0;
  double none = 1.0;
  for (std::uint32_t i = samples - passed + 1; i <= samples; ++i) none *= 1.0 - static_cast<double>(k) / i;
  return 1.0 - none;
}

Estimate clustered_mean(const std::vector<std::pair<std::string, double>>& values_by_cluster) {
  std::map<std::string, Cluster> by_name;
  Cluster total;
  for (const auto& [name, value] : values_by_cluster) {
    by_name[name].sum += value;
    by_name[name].count += 1;
    total.sum += value;
    total.count += 1;
  }
  Estimate estimate{.tasks = total.count, .clusters = by_name.size()};
  if (total.count == 0) {
    estimate.value = estimate.low = estimate.high = std::numeric_limits<double>::quiet_NaN();
    return estimate;
  }
  estimate.value = total.sum / static_cast<double>(total.count);
  const bool none =
      std::all_of(values_by_cluster.begin(), values_by_cluster.end(), [](const auto& v) { return v.second == 0.0; });
  const bool all =
      std::all_of(values_by_cluster.begin(), values_by_cluster.end(), [](const auto& v) { return v.second == 1.0; });
  if (none || all) {
    // Clopper-Pearson with 0 of n (or n of n): the open bound is 1 - (0.025)^(1/n).
    const double bound = 1.0 - std::pow(0.025, 1.0 / static_cast<double>(by_name.size()));
    estimate.low = none ? 0.0 : 1.0 - bound;
    estimate.high = none ? bound : 1.0;
    return estimate;
  }
  std::vector<Cluster> clusters;
  for (const auto& [name, cluster] : by_name) clusters.push_back(cluster);
  Philox random(kBootstrapSeed, /*stream=*/0);
  std::vector<double> means(kResamples);
  for (double& mean : means) {
    Cluster drawn;
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      const Cluster& cluster = clusters[random.next_below(clusters.size())];
      drawn.sum += cluster.sum;
      drawn.count += cluster.count;
    }
    mean = drawn.sum / static_cast<double>(drawn.count);
  }
  std::sort(means.begin(), means.end());
  estimate.low = means[static_cast<std::size_t>(0.025 * kResamples)];
  estimate.high = means[static_cast<std::size_t>(0.975 * kResamples) - 1];
  return estimate;
}

Estimate mean_pass_at_k(const std::vector<TaskOutcome>& outcomes, std::uint32_t k) {
  std::vector<std::pair<std::string, double>> values;
  std::uint64_t samples = 0;
  for (const TaskOutcome& outcome : outcomes) {
    if (outcome.samples < k) continue;
    values.emplace_back(outcome.cluster, pass_at_k(outcome.samples, outcome.passed, k));
    samples += outcome.samples;
  }
  Estimate estimate = clustered_mean(values);
  estimate.samples = samples;
  return estimate;
}

}  // namespace kg::reward
