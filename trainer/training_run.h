#pragma once

#include <functional>

#include "policy/files/model_io.h"
#include "trainer/checkpoint.h"
#include "trainer/replicas.h"
#include "trainer/run.h"

namespace kg::trainer {

// A run that trains a model: in addition to every run's files, the state to resume from and the resulting model.
struct TrainingRun {
  // `together`: the processes that train one model, which all wait here until the first has made the folder; null: only
  // this process. Throws Error if the folder holds a run that the request does not resume.
  TrainingRun(const RunRequest& request, int keep_checkpoints, const Replicas* together = nullptr);

  // Begins with `fresh`, or with the newest checkpoint, which must be for the same data.
  void restore(RunState fresh, Trainable& trainable);

  // Counts a step of `tokens` that took `seconds`, and notes the reason if it was skipped.
  void count(const StepOutcome& outcome, std::int64_t tokens, double seconds);

  void save(const Trainable& trainable, const policy::LoadedModel& source);
  // Whether a checkpoint is due after this step; the one at the end, after the last step, is not counted.
  bool checkpoint_due(std::int64_t every, bool ended) const;
  // Runs `save`. If it fails, the run continues: the older checkpoints are still there.
  void try_saving(const std::function<void()>& save);

  // Writes the model into the run folder's best/, completely or not at all.
  void keep_as_best(const Trainable& trainable, const policy::LoadedModel& source);

  // Exports the model, links the run as the latest and prints its folder. Returns the exit status.
  int finish(const Trainable& trainable, const policy::LoadedModel& source);

  Run run;
  Checkpoints checkpoints;
  RunState state;
  fs::path data;  // named in messages
};

}  // namespace kg::trainer
