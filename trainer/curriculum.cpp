#include "trainer/curriculum.h"

#include <algorithm>

#include "base/check.h"

namespace kg::trainer {

Curriculum::Curriculum(std::vector<int> levels, Bounds bounds) : bounds_(bounds) {
  KG_CHECK(!levels.empty());
  for (const int level : levels) tasks_.push_back({.level = level});
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  all_levels_ = std::move(levels);
  levels_.resize(all_levels_.size());
  open_ = all_levels_.front();
}

bool Curriculum::eligible(std::size_t task) const {
  const Running& running = tasks_[task];
  return running.level <= open_ &&
         (running.samples == 0 || (running.rate >= bounds_.low && running.rate <= bounds_.high));
}

void Curriculum::record(std::size_t task, std::uint64_t passed, std::uint64_t samples) {
  if (samples == 0) return;
  Running& running = tasks_[task];
  const double seen = static_cast<double>(passed) / static_cast<double>(samples);
  mix(running.rate, running.samples, seen);
  running.samples += samples;
  const auto at = std::lower_bound(all_levels_.begin(), all_levels_.end(), running.level) - all_levels_.begin();
  Level& level = levels_[static_cast<std::size_t>(at)];
  // Every sample of a level counts equally, so one group alone does not open the next level.
  level.rate = (level.rate * static_cast<double>(level.samples) + static_cast<double>(passed)) /
               static_cast<double>(level.samples + samples);
  level.samples += samples;
  const bool highest = running.level == open_ && static_cast<std::size_t>(at) + 1 < all_levels_.size();
  if (highest && level.samples >= bounds_.fewest_samples && level.rate >= bounds_.next_level)
    open_ = all_levels_[static_cast<std::size_t>(at) + 1];
  // Recent results should count more than early ones: from time to time half of the past is forgotten.
  if (level.samples >= 8 * bounds_.fewest_samples) level.samples /= 2;
}

std::size_t Curriculum::draw(Philox& random) const {
  std::vector<std::size_t> with_signal, open;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (eligible(i)) with_signal.push_back(i);
    if (tasks_[i].level == open_) open.push_back(i);
  }
  const std::vector<std::size_t>& from = with_signal.empty() ? open : with_signal;
  return from[random.next_below(from.size())];
}

}  // namespace kg::trainer
