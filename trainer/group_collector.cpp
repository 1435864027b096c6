#include "trainer/group_collector.h"

#include <algorithm>

#include "trainer/stop_signal.h"

namespace kg::trainer {

std::optional<rollout::FinishedWork> GroupCollector::next() {
  fleet_.check();
  return coordinator_.wait(/*timeout_seconds=*/1.0);
}

std::vector<rollout::FinishedWork> GroupCollector::collect(const std::vector<std::uint64_t>& works,
                                                           const std::function<void()>& show) {
  while (!std::all_of(works.begin(), works.end(), [&](std::uint64_t id) { return finished_.contains(id); })) {
    if (stop_requested()) return {};
    if (auto group = next()) {
      const std::uint64_t id = group->work.work_id;
      finished_.insert_or_assign(id, std::move(*group));
    }
    show();
  }
  std::vector<rollout::FinishedWork> groups;
  for (const std::uint64_t id : works) groups.push_back(std::move(finished_.extract(id).mapped()));
  return groups;
}

}  // namespace kg::trainer
