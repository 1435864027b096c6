#pragma once

#include <memory>

#include "policy/files/model_io.h"
#include "policy/model/model.h"
#include "trainer/rl_objective.h"
#include "trainer/rl_options.h"
#include "trainer/rl_update.h"
#include "trainer/run_request.h"
#include "trainer/schedule.h"
#include "trainer/trainable.h"

namespace kg::trainer {

// The policy that rl trains, its optimiser and, where the loss has a KL term, the model that it began with. `options`
// and `replicas` outlive it.
class RlLearner {
 public:
  RlLearner(const RlOptions& options, const RunRequest& request, const policy::LoadedModel& loaded,
            const Replicas& replicas);

  Trainable& trainable() { return trainable_; }
  // Of the weights that adapters belong to (policy/files/policy_version.h); empty without adapters.
  const std::string& base_checksum() const { return base_checksum_; }
  RlBatch batch_of(const std::vector<rollout::FinishedWork>& groups, std::uint64_t weights_version) const;
  double rate(std::int64_t step) const { return learning_rate(schedule_, step); }
  // All processes that train together call it with the same batch.
  UpdateResult update(RlBatch batch, double rate);
  const RlObjective& objective() const { return objective_; }

 private:
  const RlOptions& options_;
  RlObjective objective_;
  const Replicas& replicas_;
  Trainable trainable_;
  std::string base_checksum_;
  std::unique_ptr<policy::Transformer> reference_;  // null if the KL term has no weight
  Schedule schedule_;
};

}  // namespace kg::trainer
