#include "trainer/collapse.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace kg::trainer {
namespace {

constexpr double kTiny = 1e-9;

PolicySigns mean_of(std::vector<PolicySigns>::const_iterator begin, std::vector<PolicySigns>::const_iterator end) {
  PolicySigns mean;
  const auto count = static_cast<double>(end - begin);
  double differences = 0, known = 0;
  for (auto one = begin; one != end; ++one) {
    mean.entropy += one->entropy / count;
    mean.length += one->length / count;
    if (!one->difference) continue;
    differences += *one->difference;
    ++known;
  }
  if (known > 0) mean.difference = differences / known;
  return mean;
}

double ratio(double now, double before) { return std::max(now, kTiny) / std::max(before, kTiny); }

// How near a ratio has come to a factor either way: 1 is there.
double nearness(double ratio, double factor) {
  return factor > 1 ? std::abs(std::log(std::max(ratio, kTiny))) / std::log(factor) : 0;
}

double growth_nearness(const PolicyDrift& drift, double factor) {
  if (factor <= 1 || drift.recent.difference.value_or(0) <= kSmallDifference) return 0;
  return std::max(0.0, std::log(drift.difference)) / std::log(factor);
}

struct Sign {
  const char* name;
  double nearness;  // to its limit: 1 is there
  std::string why;  // a run stops that has come there
};

std::vector<Sign> signs_of(const PolicyDrift& drift, const CollapseLimits& limits) {
  const PolicySigns& recent = drift.recent;
  const double difference = recent.difference.value_or(0);
  return {
      {"entropy", nearness(drift.entropy, limits.entropy),
       fmt::format("the entropy of the answers is {:.4g} nats a token, {:.3g} times that of the first updates; "
                   "limit: a factor of {:g}",
                   recent.entropy, drift.entropy, limits.entropy)},
      {"length of the answers", nearness(drift.length, limits.length),
       fmt::format("answers have {:.4g} tokens, {:.3g} times as many as in the first updates; limit: a factor of "
                   "{:g}",
                   recent.length, drift.length, limits.length)},
      {"difference of sampler and trainer", limits.difference > 0 ? difference / limits.difference : 0,
       fmt::format("sampler and trainer differ by {:.3g} nats a token; limit: {:g}", difference, limits.difference)},
      {"growth of the difference of sampler and trainer", growth_nearness(drift, limits.difference_growth),
       fmt::format("sampler and trainer differ by {:.3g} nats a token, {:.3g} times as much as in the first "
                   "updates; limit: a factor of {:g}",
                   difference, drift.difference, limits.difference_growth)}};
}

}  // namespace

std::optional<PolicyDrift> drift_of(const std::vector<PolicySigns>& updates, const CollapseLimits& limits) {
  if (std::ssize(updates) < kRecentUpdates) return std::nullopt;
  PolicyDrift drift{.recent = mean_of(updates.end() - kRecentUpdates, updates.end())};
  if (std::ssize(updates) >= kFirstUpdates + kRecentUpdates) {
    const PolicySigns first = mean_of(updates.begin(), updates.begin() + kFirstUpdates);
    drift.entropy = ratio(drift.recent.entropy, first.entropy);
    drift.length = ratio(drift.recent.length, first.length);
    if (drift.recent.difference && first.difference)
      drift.difference = ratio(*drift.recent.difference, *first.difference);
  }
  for (const Sign& sign : signs_of(drift, limits)) {
    if (sign.nearness <= drift.nearest) continue;
    drift.nearest = sign.nearness;
    drift.what = sign.name;
  }
  return drift;
}

std::string collapse_of(const PolicyDrift& drift, const CollapseLimits& limits) {
  for (const Sign& sign : signs_of(drift, limits))
    if (sign.nearness >= 1) return sign.why;
  return "";
}

std::optional<PolicySigns> signs_of(const nlohmann::json& metrics) {
  const auto number = [&](const char* key) -> std::optional<double> {
    const auto found = metrics.find(key);
    if (found == metrics.end() || !found->is_number()) return std::nullopt;
    return found->get<double>();
  };
  const auto entropy = number("entropy"), length = number("answer_tokens");
  if (!entropy || !length) return std::nullopt;
  PolicySigns signs{.entropy = *entropy, .length = *length, .difference = std::nullopt};
  if (number("train_computed_tokens").value_or(0) > 0) signs.difference = number("log_prob_difference");
  return signs;
}

std::vector<PolicySigns> read_signs(const fs::path& metrics) {
  std::vector<PolicySigns> signs;
  std::ifstream file(metrics);
  for (std::string line; std::getline(file, line);) {
    const auto entry = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!entry.is_object()) continue;
    if (const auto one = signs_of(entry)) signs.push_back(*one);
  }
  return signs;
}

std::string PolicyWatch::add(nlohmann::json& metrics) {
  if (const auto signs = signs_of(metrics)) updates_.push_back(*signs);
  const auto drift = drift_of(updates_, limits_);
  if (!drift) return "";
  metrics["entropy_ratio"] = drift->entropy;
  metrics["answer_tokens_ratio"] = drift->length;
  metrics["log_prob_difference_ratio"] = drift->difference;
  collapsed_ = collapse_of(*drift, limits_);
  const bool near = drift->nearest >= 0.5;
  const bool says = near && !std::exchange(warned_, near);
  warned_ = near;
  return says ? "the " + drift->what + " has come half the way to where the run stops" : "";
}

}  // namespace kg::trainer
