#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "policy/files/model_io.h"
#include "trainer/replicas.h"
#include "trainer/run_request.h"
#include "trainer/schedule.h"
#include "trainer/sft_data.h"
#include "trainer/sft_options.h"
#include "trainer/sft_plan.h"
#include "trainer/trainable.h"

namespace kg::trainer {

struct SftStep {
  double loss = 0;  // mean over the answer tokens of the step
  std::int64_t tokens = 0;
  StepOutcome outcome;
};

// The model, the samples and the length of training: sft except its run folder. `options`, `replicas` outlive it.
class SftLearner {
 public:
  SftLearner(const SftOptions& options, const RunRequest& request, const Replicas& replicas);

  const SftData& data() const { return data_; }
  const SftPlan& plan() const { return plan_; }
  const policy::LoadedModel& source() const { return loaded_; }  // without weights: the trainable has its own
  Trainable& trainable() { return trainable_; }
  double rate(std::int64_t step) const { return learning_rate(schedule_, step); }
  // For config.json.
  nlohmann::json description() const;

  // The documents of the next step, starting at `position`, which advances.
  std::vector<std::size_t> next_documents(DataPosition& position);
  // If several processes train together, each takes its share of the step's rows.
  SftStep step(const std::vector<std::size_t>& documents, double rate);
  // Runs one row forward and backward to measure the speed of this machine.
  double tokens_per_second();

 private:
  const SftOptions& options_;
  const Replicas& replicas_;
  policy::LoadedModel loaded_;
  SftData data_;
  SftPlan plan_;
  double gigabytes_;
  Trainable trainable_;
  Schedule schedule_;
  DocumentOrder order_;
};

}  // namespace kg::trainer
