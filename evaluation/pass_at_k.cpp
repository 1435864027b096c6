#include "evaluation/pass_at_k.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "evaluation/bootstrap.h"

namespace kg::evaluation {
namespace {

// All-or-nothing clusters that the variance starts from: as far as the informative ones are all or nothing, and where
// they are few (docs/guide/metrics.md).
constexpr double kPriorShare = 0.4, kPriorFew = 0.1;
constexpr std::uint64_t kBootstrapSeed = 20260719;

// Student's t quantile of 0.975 by its expansion around the normal one (Abramowitz and Stegun 26.7.5), to 1e-3 from 5
// degrees of freedom on.
double student_quantile(double degrees) {
  const double z = 1.959963984540054, v = degrees;
  const double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v);
}

// Variance of the mean over tasks when clusters are drawn again with replacement, times n / (n - 1).
double bootstrap_variance(const std::vector<Cluster>& clusters) {
  const std::vector<double> means = resampled_means(clusters, kBootstrapSeed);
  double sum = 0, squares = 0;
  for (const double mean : means) {
    sum += mean;
    squares += mean * mean;
  }
  const auto n = static_cast<double>(clusters.size());
  const auto count = static_cast<double>(means.size());
  const double mean = sum / count;
  return (squares / count - mean * mean) * n / (n - 1);
}

// Clusters that say anything of how much clusters differ: not all failed where most fail, not all passed where most
// pass. `share`: the mean of how far they are from the others' end, 1 where they are all or nothing.
struct Informative {
  double clusters = 0, share = 0;
};

Informative informative(const std::vector<Cluster>& clusters) {
  Informative passing, failing;
  const auto add = [](Informative& side, double rate) {
    if (rate <= 0) return;
    side.clusters += 1;
    side.share += rate;
  };
  for (const Cluster& cluster : clusters) {
    const double rate = cluster.sum / cluster.count;
    add(passing, rate);
    add(failing, 1 - rate);
  }
  Informative fewer = passing.clusters <= failing.clusters ? passing : failing;
  fewer.share /= fewer.clusters;
  return fewer;
}

}  // namespace

std::string percent_text(const Estimate& estimate) {
  return fmt::format("{:.1f} % [{:.1f}, {:.1f}]", 100 * estimate.value, 100 * estimate.low, 100 * estimate.high);
}

double pass_at_k(std::uint32_t samples, std::uint32_t passed, std::uint32_t k) {
  if (k == 0 || k > samples) return std::numeric_limits<double>::quiet_NaN();
  if (samples - passed < k) return 1.0;
  double none = 1.0;
  for (std::uint32_t i = samples - passed + 1; i <= samples; ++i) none *= 1.0 - static_cast<double>(k) / i;
  return 1.0 - none;
}

Estimate clustered_mean(const std::vector<std::pair<std::string, double>>& values_by_cluster) {
  std::map<std::string, Cluster> by_name;
  double sum = 0;
  for (const auto& [name, value] : values_by_cluster) {
    by_name[name].sum += value;
    by_name[name].count += 1;
    sum += value;
  }
  Estimate estimate{.tasks = values_by_cluster.size(), .clusters = by_name.size()};
  if (values_by_cluster.empty()) {
    estimate.value = estimate.low = estimate.high = std::numeric_limits<double>::quiet_NaN();
    return estimate;
  }
  estimate.value = sum / static_cast<double>(estimate.tasks);
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
  if (clusters.size() < 2) {
    estimate.low = 0;
    estimate.high = 1;
    return estimate;
  }
  const auto n = static_cast<double>(clusters.size());
  const double p = estimate.value, whole = p * (1 - p);
  const Informative known = informative(clusters);
  const double prior = kPriorShare * known.share + kPriorFew / known.clusters;
  const double variance =
      (known.clusters * bootstrap_variance(clusters) + prior * whole / n) / (known.clusters + prior);
  const double effective = std::max(n, whole / variance);
  const double t = student_quantile(n - 1), share = t * t / effective;
  const double centre = (p + share / 2) / (1 + share);
  const double half = t / (1 + share) * std::sqrt(whole / effective + share / effective / 4);
  estimate.low = std::max(0.0, centre - half);
  estimate.high = std::min(1.0, centre + half);
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

}  // namespace kg::evaluation
