#include "trainer/rl_rollouts.h"

#include <utility>

#include "trainer/rl_setup.h"
#include "trainer/run_id.h"

namespace kg::trainer {

Rollouts::Rollouts(const RlOptions& options, const RunRequest& request, TrainingRun& training,
                   const policy::LoadedModel& loaded, RlLearner& learner, nlohmann::json config)
    : data(dataset::Dataset::open(request.data, dataset::OpenMode::kAppend)), tasks(data->task_ids(options.split)) {
  evaluation.emplace(options, *data, training.run.name());
  config["run_id"] = run_id_of(training.run, *data);
  training.run.open(config, training.state.step);
  source.emplace(rl_coordinator(options, config["run_id"], training.run.path()),
                 rl_fleet(options, request, training.run.path()), *data, loaded, request.dtype);
  publish(learner, training.state.weights_version);
  works.emplace(
      options, *data, tasks, config["run_id"].get<std::string>(), loaded.config.context,
      WorksPosition{.update = training.state.step, .draw = training.state.works, .failed = training.state.failed});
}

void Rollouts::publish(RlLearner& learner, std::uint64_t version) {
  const Trainable& trainable = learner.trainable();
  if (trainable.has_adapters())
    source->publish(version, trainable.adapters(), learner.base_checksum());
  else
    source->publish(version, trainable.weights());
}

}  // namespace kg::trainer
