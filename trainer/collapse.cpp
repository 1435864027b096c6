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

}  // namespace

std::optional<PolicyDrift> drift_of(const std::vector<PolicySigns>& updates, const CollapseLimits& limits) {
  if (std::ssize(updates) < kRecentUpdates) return std::nullopt;
  PolicyDrift drift{.recent = mean_of(updates.end() - kRecentUpdates, updates.end())};
  const auto consider = [&](double nearness, const char* what) {
    if (nearness <= drift.nearest) return;
    drift.nearest = nearness;
    drift.what = what;
  };
  const double difference = drift.recent.difference.value_or(0);
  if (limits.difference > 0) consider(difference / limits.difference, "difference of sampler and trainer");
  if (std::ssize(updates) < kFirstUpdates + kRecentUpdates) return drift;
  const PolicySigns first = mean_of(updates.begin(), updates.begin() + kFirstUpdates);
  drift.entropy = ratio(drift.recent.entropy, first.entropy);
  drift.length = ratio(drift.recent.length, first.length);
  if (drift.recent.difference && first.difference) drift.difference = ratio(difference, *first.difference);
  consider(nearness(drift.entropy, limits.entropy), "entropy");
  consider(nearness(drift.length, limits.length), "length of the answers");
  consider(growth_nearness(drift, limits.difference_growth), "growth of the difference of sampler and trainer");
  return drift;
}

std::string collapse_of(const PolicyDrift& drift, const CollapseLimits& limits) {
  const PolicySigns& recent = drift.recent;
  const double difference = recent.difference.value_or(0);
  if (nearness(drift.entropy, limits.entropy) >= 1)
    return fmt::format(
        "the entropy of the answers is {:.4g} nats a token, {:.3g} times that of the first updates; limit: a factor of "
        "{:g}",
        recent.entropy, drift.entropy, limits.entropy);
  if (nearness(drift.length, limits.length) >= 1)
    return fmt::format(
        "answers have {:.4g} tokens, {:.3g} times as many as in the first updates; limit: a factor of {:g}",
        recent.length, drift.length, limits.length);
  if (limits.difference > 0 && difference >= limits.difference)
    return fmt::format("sampler and trainer differ by {:.3g} nats a token; limit: {:g}", difference, limits.difference);
  if (growth_nearness(drift, limits.difference_growth) >= 1)
    return fmt::format(
        "sampler and trainer differ by {:.3g} nats a token, {:.3g} times as much as in the first updates; limit: a "
        "factor of {:g}",
        difference, drift.difference, limits.difference_growth);
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
