#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "trainer/rl_evaluation.h"
#include "trainer/rl_learner.h"
#include "trainer/rl_works.h"
#include "trainer/rollout_source.h"
#include "trainer/training_run.h"

namespace kg::trainer {

// What the first of the processes that train a policy has, and no other: the data set, where rollouts come from, which
// of them an update trains on, and the evaluations in between.
struct Rollouts {
  // Opens the run and publishes the weights that it goes on with. `config`: the run's, without its id.
  Rollouts(const RlOptions& options, const RunRequest& request, TrainingRun& training,
           const policy::LoadedModel& loaded, RlLearner& learner, nlohmann::json config);

  void publish(RlLearner& learner, std::uint64_t version);

  std::unique_ptr<dataset::Dataset> data;
  std::vector<std::string> tasks;
  std::optional<RolloutSource> source;
  std::optional<RlWorks> works;
  std::optional<RlEvaluation> evaluation;
};

}  // namespace kg::trainer
