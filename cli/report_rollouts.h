#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dataset/store/dataset.h"

namespace kg::cli {

inline constexpr int kStageCount = 7;  // numbers of proto::Stage

struct PurposeCounts {
  std::uint64_t rollouts = 0, compiled = 0, correct = 0, valid = 0, truncated = 0;
  double reward_sum = 0;
};

// What the report shows of a run's rollouts, in memory that does not grow with their number (apart from one small entry
// a policy version).
struct RolloutDigest {
  std::uint64_t rollouts = 0;
  std::map<std::uint64_t, std::array<double, kStageCount>> stages_by_version;  // training rollouts only
  std::map<double, double> rewards;  // valid training rewards, rounded to 0.05
  std::map<std::string, PurposeCounts> purposes;
  std::vector<proto::Rollout> best, worst;  // of different tasks, the most telling first
};

RolloutDigest digest_rollouts(const dataset::Dataset& data, const std::string& run);

}  // namespace kg::cli
