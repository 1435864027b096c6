#include "trainer/rl_works.h"

#include <algorithm>

#include "proto/language.h"
#include "trainer/sampling.h"
#include "trainer/task_works.h"

namespace kg::trainer {

RlWorks::RlWorks(const RlOptions& options, const dataset::Dataset& data, std::vector<std::string> tasks,
                 std::int64_t first_update, std::int64_t first_draw)
    : options_(options), data_(data), tasks_(std::move(tasks)), submitted_(first_update), next_draw_(first_draw) {
  if (options.order == "curriculum")
    curriculum_.emplace(data, tasks_,
                        CurriculumOrder::Options{
                            .seed = options.seed, .groups = options.groups_per_step, .staleness = options.staleness});
}

void RlWorks::submit_for(std::int64_t update, const std::vector<GroupOutcome>& outcomes, std::uint64_t version,
                         rollout::Coordinator& coordinator) {
  ids_.erase(ids_.begin(), ids_.lower_bound(update));
  std::vector<rollout::Work> works;
  std::vector<std::int64_t> updates;
  for (; submitted_ < options_.steps && submitted_ <= update + options_.staleness; ++submitted_) {
    const std::vector<std::string> tasks =
        curriculum_
            ? curriculum_->tasks_of(submitted_, outcomes)
            : tasks_of_draws(tasks_, options_.seed, static_cast<std::uint64_t>(next_draw_), options_.groups_per_step);
    for (const std::string& task : tasks) {
      works.push_back(make_work(data_.task(task).value(), static_cast<std::uint64_t>(++next_draw_),
                                options_.prompt_form, static_cast<std::uint32_t>(options_.group_size),
                                sampling_of(options_), options_.seed, "train",
                                proto::language_from_name(options_.language)));
      // The largest version that there can be when that update begins.
      works.back().newest_version = version + static_cast<std::uint64_t>(submitted_ - update);
      works.back().oldest_version =
          works.back().newest_version -
          std::min(works.back().newest_version, static_cast<std::uint64_t>(options_.staleness));
      updates.push_back(submitted_);
    }
  }
  if (works.empty()) return;
  const std::vector<std::uint64_t> ids = coordinator.submit_all(std::move(works));
  for (std::size_t i = 0; i < ids.size(); ++i) ids_[updates[i]].push_back(ids[i]);
}

GroupOutcome outcome_of(const rollout::FinishedWork& group, std::int64_t update) {
  GroupOutcome outcome{.work_id = group.work.work_id, .task = group.work.task.id(), .update = update};
  for (const proto::Rollout& rollout : group.rollouts)
    if (rollout.verdict().reward_valid()) {
      ++outcome.samples;
      outcome.passed += rollout.verdict().correct() ? 1 : 0;
    }
  return outcome;
}

}  // namespace kg::trainer
