#include "trainer/curriculum_order.h"

#include <algorithm>

#include "base/check.h"
#include "base/hash.h"
#include "base/random.h"

namespace kg::trainer {
namespace {

constexpr int kDraws = 16;  // until a task comes that the update does not have yet

std::vector<int> levels_of(const dataset::Dataset& data, const std::vector<std::string>& ids) {
  std::unordered_map<std::string, int> levels;
  data.for_each_task([&](const proto::Task& task) {
    levels[task.id()] = task.level();
    return true;
  });
  std::vector<int> result;
  for (const std::string& id : ids) result.push_back(levels[id]);
  return result;
}

}  // namespace

CurriculumOrder::CurriculumOrder(const dataset::Dataset& data, const std::vector<std::string>& ids,
                                 const Options& options)
    : ids_(ids), options_(options), curriculum_(levels_of(data, ids)) {
  for (std::size_t i = 0; i < ids_.size(); ++i) index_[ids_[i]] = i;
}

std::vector<std::string> CurriculumOrder::tasks_of(std::int64_t update, const std::vector<GroupOutcome>& outcomes) {
  KG_CHECK_GT(options_.groups, 0);
  const std::int64_t known = std::max<std::int64_t>(0, update - options_.staleness);  // updates
  for (; seen_ < outcomes.size(); ++seen_) {
    const GroupOutcome& outcome = outcomes[seen_];
    const std::int64_t trained =
        outcome.update >= 0 ? outcome.update : static_cast<std::int64_t>(outcome.work_id - 1) / options_.groups;
    if (trained >= known) break;
    // A task that the data set no longer has is not drawn again.
    if (const auto found = index_.find(outcome.task); found != index_.end())
      curriculum_.record(found->second, outcome.passed, outcome.samples);
  }
  Philox random(options_.seed, hash64("curriculum") + static_cast<std::uint64_t>(update));
  std::vector<std::size_t> chosen;
  for (std::int64_t group = 0; group < options_.groups; ++group) {
    std::size_t task = curriculum_.draw(random);
    for (int draw = 1; draw < kDraws && std::find(chosen.begin(), chosen.end(), task) != chosen.end(); ++draw)
      task = curriculum_.draw(random);
    chosen.push_back(task);
  }
  std::vector<std::string> tasks;
  for (const std::size_t task : chosen) tasks.push_back(ids_[task]);
  return tasks;
}

}  // namespace kg::trainer
