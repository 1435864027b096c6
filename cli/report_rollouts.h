#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dataset/store/dataset.h"

namespace kg::cli {

inline constexpr int kStageCount = 7;  // number of values of proto::Stage

struct PurposeCounts {
  std::uint64_t rollouts = 0, compiled = 0, correct = 0, valid = 0, truncated = 0;
  double reward_sum = 0;
};

// The report's view of a run's rollouts, in memory that does not grow with their number (except for one small entry
// per policy version).
struct RolloutDigest {
  std::uint64_t rollouts = 0;
  std::map<std::uint64_t, std::array<double, kStageCount>> stages_by_version;  // training rollouts only
  std::map<double, double> rewards;               // valid training rewards, rounded to 0.05
  std::map<std::string, PurposeCounts> purposes;  // further turns apart: "train, turn 2"
  std::string run;
  std::map<std::string, std::array<double, kStageCount>> tasks;  // by task, for training and evaluation
  std::vector<proto::Rollout> best, worst;  // different tasks, most telling first; none is in both lists
  std::vector<proto::Rollout> chosen;       // the selected rollouts, the last ones if there are many
};

// Which rollouts to show in full; empty fields match all.
struct RolloutChoice {
  std::string task;   // the task's id, or a part of it
  std::string stage;  // the stage at which it ended
  int update = -1;    // the policy version that made it
  std::size_t most = 24;

  bool any() const { return !task.empty() || !stage.empty() || update >= 0; }
};

RolloutDigest digest_rollouts(const dataset::Dataset& data, const std::string& run, const RolloutChoice& choice = {});

}  // namespace kg::cli
