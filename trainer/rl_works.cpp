#include "trainer/rl_works.h"

#include "proto/language.h"
#include "trainer/sampling.h"
#include "trainer/task_works.h"

namespace kg::trainer {

RlWorks::RlWorks(const RlOptions& options, const dataset::Dataset& data, std::vector<std::string> tasks,
                 std::int64_t first_update)
    : options_(options), data_(data), tasks_(std::move(tasks)), submitted_(first_update) {
  if (options.order == "curriculum")
    curriculum_.emplace(data, tasks_,
                        CurriculumOrder::Options{
                            .seed = options.seed, .groups = options.groups_per_step, .staleness = options.staleness});
}

std::vector<std::uint64_t> RlWorks::ids_of(std::int64_t update) const {
  std::vector<std::uint64_t> ids;
  for (std::int64_t group = 0; group < options_.groups_per_step; ++group)
    ids.push_back(static_cast<std::uint64_t>(update * options_.groups_per_step + group) + 1);
  return ids;
}

void RlWorks::submit_for(std::int64_t update, const std::vector<GroupOutcome>& outcomes,
                         rollout::Coordinator& coordinator) {
  for (; submitted_ < options_.steps && submitted_ <= update + options_.staleness; ++submitted_) {
    const std::vector<std::uint64_t> ids = ids_of(submitted_);
    const std::vector<std::string> tasks =
        curriculum_ ? curriculum_->tasks_of(submitted_, outcomes)
                    : tasks_of_update(tasks_, options_.seed, submitted_, options_.groups_per_step);
    for (std::size_t i = 0; i < ids.size(); ++i)
      coordinator.submit(make_work(data_.task(tasks[i]).value(), ids[i], options_.prompt_form,
                                   static_cast<std::uint32_t>(options_.group_size), sampling_of(options_),
                                   options_.seed, "train", proto::language_from_name(options_.language)));
  }
}

GroupOutcome outcome_of(const rollout::FinishedWork& group) {
  GroupOutcome outcome{.work_id = group.work.work_id, .task = group.work.task.id()};
  for (const proto::Rollout& rollout : group.rollouts)
    if (rollout.verdict().reward_valid()) {
      ++outcome.samples;
      outcome.passed += rollout.verdict().correct() ? 1 : 0;
    }
  return outcome;
}

}  // namespace kg::trainer
