#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dataset/store/dataset.h"
#include "rollout/coordinator.h"
#include "trainer/curriculum_order.h"
#include "trainer/rl_options.h"

namespace kg::trainer {

// Which works each update trains on, and handing them out ahead of it (rl.cpp, first lines). `options` and `data`
// outlive it.
class RlWorks {
 public:
  // `tasks` of `data` to draw from; updates before `first_update` are done, and trained on the draws before
  // `first_draw`.
  RlWorks(const RlOptions& options, const dataset::Dataset& data, std::vector<std::string> tasks,
          std::int64_t first_update, std::int64_t first_draw);

  // Of an update that was submitted.
  const std::vector<std::uint64_t>& ids_of(std::int64_t update) const { return ids_.at(update); }
  // Submits what `update` and, as far as the staleness allows, later ones train on and was not submitted yet.
  // `outcomes`: of the updates so far. `version`: of the weights that `update` begins with. Rollouts that are stored
  // already, as after a restart with other groups, are taken if they are no older than the staleness allows.
  void submit_for(std::int64_t update, const std::vector<GroupOutcome>& outcomes, std::uint64_t version,
                  rollout::Coordinator& coordinator);

  // Submits `count` works more for `update`, which has `made` beyond its own; their draws are a stream of their own, so
  // that a resumed run makes the same ones. Returns their ids.
  std::vector<std::uint64_t> refill(std::int64_t update, std::int64_t made, std::int64_t count, std::uint64_t version,
                                    rollout::Coordinator& coordinator);

  const std::optional<CurriculumOrder>& curriculum() const { return curriculum_; }

 private:
  // `version`: the largest that there can be when the work's update begins.
  rollout::Work work_of(const std::string& task, std::uint64_t draw, std::uint64_t version) const;

  const RlOptions& options_;
  const dataset::Dataset& data_;
  std::vector<std::string> tasks_;
  std::optional<CurriculumOrder> curriculum_;
  std::int64_t submitted_, next_draw_;
  std::map<std::int64_t, std::vector<std::uint64_t>> ids_;  // of works, by update
};

// What a curriculum remembers of a group that `update` trained on.
GroupOutcome outcome_of(const rollout::FinishedWork& group, std::int64_t update);

}  // namespace kg::trainer
