#include "trainer/rl_works.h"

#include <algorithm>

#include "proto/language.h"
#include "trainer/sampling.h"
#include "trainer/task_works.h"

namespace kg::trainer {
namespace {

constexpr std::uint64_t kRefillDraws = 1ULL << 40;  // where the numbers of refills begin
constexpr std::uint64_t kMostRefillsOfUpdate = 1ULL << 20;

}  // namespace

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
      works.push_back(work_of(task, static_cast<std::uint64_t>(next_draw_),
                              version + static_cast<std::uint64_t>(submitted_ - update)));
      ++next_draw_;
      updates.push_back(submitted_);
    }
  }
  if (works.empty()) return;
  const std::vector<std::uint64_t> ids = coordinator.submit_all(std::move(works));
  for (std::size_t i = 0; i < ids.size(); ++i) ids_[updates[i]].push_back(ids[i]);
}

rollout::Work RlWorks::work_of(const std::string& task, std::uint64_t draw, std::uint64_t version) const {
  rollout::Work work = make_work(data_.task(task).value(), draw + 1, options_.prompt_form,
                                 static_cast<std::uint32_t>(options_.group_size), sampling_of(options_), options_.seed,
                                 "train", proto::language_from_name(options_.language));
  work.newest_version = version;
  work.oldest_version = version - std::min(version, static_cast<std::uint64_t>(options_.staleness));
  return work;
}

std::vector<std::uint64_t> RlWorks::refill(std::int64_t update, std::int64_t made, std::int64_t count,
                                           std::uint64_t version, rollout::Coordinator& coordinator) {
  const std::uint64_t first =
      kRefillDraws + static_cast<std::uint64_t>(update) * kMostRefillsOfUpdate + static_cast<std::uint64_t>(made);
  std::vector<rollout::Work> works;
  for (const std::string& task : tasks_of_draws(tasks_, options_.seed, first, count))
    works.push_back(work_of(task, first + works.size(), version));
  return coordinator.submit_all(std::move(works));
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
