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
  std::string run;
  std::map<std::string, std::array<double, kStageCount>> tasks;  // of a task, training or evaluation
  std::vector<proto::Rollout> best, worst;  // of different tasks, the most telling first; none is in both
  std::vector<proto::Rollout> chosen;       // those that were asked for, the last ones where there are many
};

// Which rollouts to show whole; what is empty takes all.
struct RolloutChoice {
  std::string task;   // its id, or a part of it
  std::string stage;  // where it ended
  int update = -1;    // the policy version that made it
  std::size_t most = 24;

  bool any() const { return !task.empty() || !stage.empty() || update >= 0; }
};

RolloutDigest digest_rollouts(const dataset::Dataset& data, const std::string& run, const RolloutChoice& choice = {});

}  // namespace kg::cli
