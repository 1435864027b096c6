#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"

// Signs that a policy is breaking down, looked at over the last updates of a run and against its first ones.
namespace kg::trainer {

// What an update showed of the policy; the keys of metrics.jsonl are those of rl_metrics.h.
struct PolicySigns {
  double entropy = 0;  // nats a token
  double length = 0;   // mean tokens of an answer
  // Mean |trainer - sampler| log-probability of a token before the update; nothing where no answer went through the
  // model, as in an update without signal.
  std::optional<double> difference;
};

// 0 turns a limit off.
struct CollapseLimits {
  double entropy = 0;            // factor by which it may fall, or rise
  double length = 0;             // the same of the length
  double difference = 0;         // largest, nats a token
  double difference_growth = 0;  // factor by which it may rise, once it is above kSmallDifference
};

// Means over the last kRecentUpdates in terms of the means over the run's first kFirstUpdates.
struct PolicyDrift {
  double entropy = 1, length = 1, difference = 1;  // ratios
  PolicySigns recent;
  double nearest = 0;  // 0 far from every limit, 1 where the run is to stop
  std::string what;    // that is nearest to its limit
};

inline constexpr std::ptrdiff_t kFirstUpdates = 10, kRecentUpdates = 5;
inline constexpr double kSmallDifference = 0.05;  // nats a token: no growth below it matters

// Nothing before there are kRecentUpdates. The ratios count once there are as many beyond the first kFirstUpdates.
std::optional<PolicyDrift> drift_of(const std::vector<PolicySigns>& updates, const CollapseLimits& limits);

// Why the run is to stop, in words; empty if it may go on.
std::string collapse_of(const PolicyDrift& drift, const CollapseLimits& limits);

// Of one line of metrics.jsonl; nothing if it is not an update's, or one without a valid rollout.
std::optional<PolicySigns> signs_of(const nlohmann::json& metrics);
std::vector<PolicySigns> read_signs(const fs::path& metrics);

// The signs of a run while it goes on.
class PolicyWatch {
 public:
  // `before`: of the updates that are done.
  PolicyWatch(const CollapseLimits& limits, std::vector<PolicySigns> before)
      : limits_(limits), updates_(std::move(before)) {}

  // An update, by its line of metrics.jsonl, which gets the ratios that the last updates have come to. Returns a
  // warning where they have come half the way to a limit; else nothing.
  std::string add(nlohmann::json& metrics);
  // Why the run is to stop after that update; empty if it may go on.
  const std::string& collapsed() const { return collapsed_; }

 private:
  CollapseLimits limits_;
  std::vector<PolicySigns> updates_;
  bool warned_ = false;
  std::string collapsed_;
};

}  // namespace kg::trainer
