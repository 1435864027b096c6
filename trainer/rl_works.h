#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dataset/store/dataset.h"
#include "rollout/coordinator.h"
#include "trainer/curriculum_order.h"
#include "trainer/repair_buffer.h"
#include "trainer/repair_works.h"
#include "trainer/rl_options.h"

namespace kg::trainer {

// Where a run is with its works: what a checkpoint says of it.
struct WorksPosition {
  std::int64_t update = 0;           // updates before it are done
  std::int64_t draw = 0;             // and trained on the draws before this one
  std::vector<FailedAnswer> failed;  // waiting to be repaired
};

// Which works each update trains on, and handing them out ahead of it (rl.cpp, first lines). `options` and `data`
// outlive it.
class RlWorks {
 public:
  // `tasks` of `data` to draw from; `run`: under which the rollouts are stored; `context`: tokens that the model takes.
  RlWorks(const RlOptions& options, const dataset::Dataset& data, std::vector<std::string> tasks, std::string run,
          std::int64_t context, const WorksPosition& position);

  // Of an update that was submitted: those that answer tasks, then those that repair earlier answers.
  const std::vector<std::uint64_t>& ids_of(std::int64_t update) const { return submitted_works_.at(update).ids; }
  // Submits what `update` and, as far as the staleness allows, later ones train on and was not submitted yet.
  // `outcomes`: of the updates so far. `version`: of the weights that `update` begins with; `sent`: of those that the
  // workers have, which would be too old for updates as far ahead. Rollouts that are stored already, as after a restart
  // with other groups, are taken if they are no older than the staleness allows.
  void submit_for(std::int64_t update, const std::vector<GroupOutcome>& outcomes, std::uint64_t version,
                  std::uint64_t sent, rollout::Coordinator& coordinator);

  // Submits `count` works more for `update`, which has `made` beyond its own; their draws are a stream of their own, so
  // that a resumed run makes the same ones. Returns their ids.
  std::vector<std::uint64_t> refill(std::int64_t update, std::int64_t made, std::int64_t count, std::uint64_t version,
                                    rollout::Coordinator& coordinator);

  // `update` is trained on; `groups` are all that it had. Returns how many draws of tasks it took, refills not counted.
  std::int64_t trained(std::int64_t update, const std::vector<rollout::FinishedWork>& groups);
  // What waits to be repaired then.
  std::vector<FailedAnswer> failed() const { return repairs_.waiting(); }

  const std::optional<CurriculumOrder>& curriculum() const { return curriculum_; }

 private:
  struct Submitted {
    std::vector<std::uint64_t> ids;
    std::int64_t draws = 0;  // the first of them; the others are repairs
  };

  // `version`: the largest that there can be when the work's update begins.
  rollout::Work work_of(const std::string& task, std::uint64_t draw, std::uint64_t version) const;
  std::vector<rollout::Work> repairs_of(std::int64_t update, std::uint64_t version);
  // The works of `update`, its draws first.
  std::vector<rollout::Work> works_of(std::int64_t update, const std::vector<GroupOutcome>& outcomes,
                                      std::uint64_t version);

  const RlOptions& options_;
  const dataset::Dataset& data_;
  std::vector<std::string> tasks_;
  std::string run_;
  RepairLimits limits_;
  std::optional<CurriculumOrder> curriculum_;
  std::int64_t submitted_, next_draw_;
  RepairBuffer repairs_;
  std::map<std::int64_t, Submitted> submitted_works_;  // by update
};

// The groups of an update, at most, that repair earlier answers in place of answering tasks.
std::int64_t repair_groups(const RlOptions& options);

// What a curriculum remembers of a group that `update` trained on.
GroupOutcome outcome_of(const rollout::FinishedWork& group, std::int64_t update);

}  // namespace kg::trainer
