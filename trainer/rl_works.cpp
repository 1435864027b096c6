#include "trainer/rl_works.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/log.h"
#include "proto/language.h"
#include "rollout/work_book.h"
#include "trainer/sampling.h"
#include "trainer/task_works.h"

namespace kg::trainer {
namespace {

constexpr std::uint64_t kRefillDraws = 1ULL << 40;  // where the numbers of refills begin
constexpr std::uint64_t kRepairDraws = 1ULL << 50;  // and those of repairs
constexpr std::uint64_t kMostOfUpdate = 1ULL << 20;

}  // namespace

RlWorks::RlWorks(const RlOptions& options, const dataset::Dataset& data, std::vector<std::string> tasks,
                 std::string run, std::int64_t context, const WorksPosition& position)
    : options_(options),
      data_(data),
      tasks_(std::move(tasks)),
      run_(std::move(run)),
      limits_{.turns = static_cast<std::uint32_t>(options.turns),
              .context = context,
              .max_new_tokens = options.max_new_tokens,
              .language = proto::language_from_name(options.language)},
      submitted_(position.update),
      next_draw_(position.draw),
      repairs_(options.staleness, position.failed) {
  if (options.order == "curriculum")
    curriculum_.emplace(data, tasks_,
                        CurriculumOrder::Options{
                            .seed = options.seed, .groups = options.groups_per_step, .staleness = options.staleness});
}

void RlWorks::submit_for(std::int64_t update, const std::vector<GroupOutcome>& outcomes, std::uint64_t version,
                         std::uint64_t sent, rollout::Coordinator& coordinator) {
  submitted_works_.erase(submitted_works_.begin(), submitted_works_.lower_bound(update));
  std::vector<rollout::Work> works;
  std::vector<std::int64_t> updates;
  const std::int64_t ahead = options_.staleness - static_cast<std::int64_t>(version - sent);  // updates
  for (; submitted_ < options_.steps && submitted_ <= update + ahead; ++submitted_) {
    auto own = works_of(submitted_, outcomes, version + static_cast<std::uint64_t>(submitted_ - update));
    updates.insert(updates.end(), own.size(), submitted_);
    std::move(own.begin(), own.end(), std::back_inserter(works));
  }
  if (works.empty()) return;
  const std::vector<std::uint64_t> ids = coordinator.submit_all(std::move(works));
  for (std::size_t i = 0; i < ids.size(); ++i) submitted_works_[updates[i]].ids.push_back(ids[i]);
}

std::vector<rollout::Work> RlWorks::works_of(std::int64_t update, const std::vector<GroupOutcome>& outcomes,
                                             std::uint64_t version) {
  std::vector<rollout::Work> works, repairs = repairs_of(update, version);
  const std::int64_t draws = options_.groups_per_step - std::ssize(repairs);
  std::vector<std::string> tasks =
      curriculum_ ? curriculum_->tasks_of(update, outcomes)
                  : tasks_of_draws(tasks_, options_.seed, static_cast<std::uint64_t>(next_draw_), draws);
  tasks.resize(static_cast<std::size_t>(draws));  // a curriculum draws for all groups
  for (const std::string& task : tasks)
    works.push_back(work_of(task, static_cast<std::uint64_t>(next_draw_++), version));
  submitted_works_[update].draws = draws;
  std::move(repairs.begin(), repairs.end(), std::back_inserter(works));
  return works;
}

rollout::Work RlWorks::work_of(const std::string& task, std::uint64_t draw, std::uint64_t version) const {
  rollout::Work work = make_work(data_.task(task).value(), draw + 1, options_.prompt_form,
                                 static_cast<std::uint32_t>(options_.group_size), sampling_of(options_), options_.seed,
                                 "train", limits_.language);
  work.newest_version = version;
  work.oldest_version = version - std::min(version, static_cast<std::uint64_t>(options_.staleness));
  return work;
}

std::vector<rollout::Work> RlWorks::repairs_of(std::int64_t update, std::uint64_t version) {
  std::vector<rollout::Work> works;
  const std::int64_t count = update < options_.turns_after ? 0 : repair_groups(options_);
  const std::vector<FailedAnswer> taken = repairs_.take(update, count);
  std::map<std::uint64_t, std::set<std::uint32_t>> wanted;
  for (const FailedAnswer& answer : taken) wanted[answer.work_id].insert(answer.sample);
  auto stored = rollout::read_rollouts(data_, run_, wanted);
  std::uint64_t draw = kRepairDraws + static_cast<std::uint64_t>(update) * kMostOfUpdate;
  for (const FailedAnswer& answer : taken) {
    const std::vector<proto::Rollout>& rollouts = stored[answer.work_id];
    const auto failed = std::find_if(rollouts.begin(), rollouts.end(),
                                     [&](const proto::Rollout& one) { return one.sample() == answer.sample; });
    ++draw;
    if (failed == rollouts.end() || !data_.task(failed->task())) {
      spdlog::error("work {} sample {} was to be repaired, but cannot be read; a task is drawn in its place",
                    answer.work_id, answer.sample);
      continue;
    }
    works.push_back(work_of(failed->task(), draw, version));
    follow(works.back(), *failed, limits_.language);
  }
  return works;
}

std::vector<std::uint64_t> RlWorks::refill(std::int64_t update, std::int64_t made, std::int64_t count,
                                           std::uint64_t version, rollout::Coordinator& coordinator) {
  const std::uint64_t first =
      kRefillDraws + static_cast<std::uint64_t>(update) * kMostOfUpdate + static_cast<std::uint64_t>(made);
  std::vector<rollout::Work> works;
  for (const std::string& task : tasks_of_draws(tasks_, options_.seed, first, count))
    works.push_back(work_of(task, first + works.size(), version));
  return coordinator.submit_all(std::move(works));
}

std::int64_t RlWorks::trained(std::int64_t update, const std::vector<rollout::FinishedWork>& groups) {
  std::vector<FailedAnswer> failed;
  for (const rollout::FinishedWork& group : groups)
    if (const auto answer = answer_to_repair(group, update, limits_)) failed.push_back(*answer);
  repairs_.done(update, failed);
  return submitted_works_.at(update).draws;
}

std::int64_t repair_groups(const RlOptions& options) {
  if (options.turns < 2) return 0;
  if (options.repair_groups < 0) return std::max<std::int64_t>(1, options.groups_per_step / 2);
  return std::min(options.repair_groups, options.groups_per_step);
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
