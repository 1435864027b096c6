#include "rollout/work_book.h"

#include <algorithm>
#include <iterator>

#include "rollout/work_content.h"

namespace kg::rollout {
namespace {

constexpr std::size_t kRecentWorks = 128;

}  // namespace

WorkBook::WorkBook(const dataset::Dataset& data, std::string run) : run_(std::move(run)) {
  durable_ = data.rollout_keys()[run_];
  const std::uint64_t first = durable_.first_of_last(kRecentWorks), last = durable_.largest_work();
  if (durable_.size() == 0) return;
  data.for_each_rollout_of(run_, first, last, [&](const proto::Rollout& rollout) {
    recent_[rollout.work_id()].emplace(rollout.sample(), rollout);
    return true;
  });
  for (const auto& [work_id, rollouts] : recent_)
    recent_contents_[content_of(rollouts.begin()->second)] = work_id;  // the last of those that have the same
}

std::optional<std::uint64_t> WorkBook::recent_work_of(std::uint64_t content) const {
  const auto at = recent_contents_.find(content);
  return at == recent_contents_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<std::vector<proto::Rollout>> WorkBook::recent_rollouts(std::uint64_t work_id,
                                                                     const std::set<std::uint32_t>& samples) const {
  std::vector<proto::Rollout> found;
  if (samples.empty()) return found;
  const auto at = recent_.find(work_id);
  if (at == recent_.end()) return std::nullopt;
  for (const std::uint32_t sample : samples) {
    const auto rollout = at->second.find(sample);
    if (rollout == at->second.end()) return std::nullopt;
    found.push_back(rollout->second);
  }
  return found;
}

const Work* WorkBook::find(std::uint64_t work_id) const {
  const auto at = open_.find(work_id);
  return at == open_.end() ? nullptr : &at->second.work;
}

bool WorkBook::open(Work work, std::uint64_t content, std::vector<proto::Rollout> durable) {
  const std::uint64_t work_id = work.work_id;
  OpenGroup& group = open_[work_id];
  group.work = std::move(work);
  group.content = content;
  for (proto::Rollout& rollout : durable) {
    const std::uint32_t sample = rollout.sample();
    group.rollouts.emplace(sample, std::move(rollout));
  }
  finish_if_complete(work_id);
  return !open_.contains(work_id);
}

void WorkBook::stored(proto::Rollout rollout) {
  const std::uint64_t work_id = rollout.work_id();
  const std::uint32_t sample = rollout.sample();
  durable_.insert(work_id, sample);
  const auto at = open_.find(work_id);
  if (at == open_.end() || sample >= at->second.work.samples) return;
  at->second.rollouts.emplace(sample, std::move(rollout));
  finish_if_complete(work_id);
}

void WorkBook::finish_if_complete(std::uint64_t work_id) {
  OpenGroup& group = open_.at(work_id);
  if (group.rollouts.size() < group.work.samples) return;
  FinishedWork finished{.work = std::move(group.work), .rollouts = {}};
  for (auto& [sample, rollout] : group.rollouts) finished.rollouts.push_back(std::move(rollout));
  open_.erase(work_id);
  finished_.push_back(std::move(finished));
}

std::optional<FinishedWork> WorkBook::take_finished() {
  if (finished_.empty()) return std::nullopt;
  FinishedWork first = std::move(finished_.front());
  finished_.pop_front();
  return first;
}

std::map<std::uint64_t, std::vector<proto::Rollout>> read_rollouts(
    const dataset::Dataset& data, const std::string& run,
    const std::map<std::uint64_t, std::set<std::uint32_t>>& samples) {
  std::map<std::uint64_t, std::set<std::uint32_t>> missing = samples;
  std::erase_if(missing, [](const auto& work) { return work.second.empty(); });
  std::map<std::uint64_t, std::vector<proto::Rollout>> found;
  // Works that follow each other closely are read in one go.
  for (auto from = samples.begin(); from != samples.end() && !missing.empty();) {
    auto to = from;
    while (std::next(to) != samples.end() && std::next(to)->first - to->first <= kRecentWorks) ++to;
    data.for_each_rollout_of(run, from->first, to->first, [&](const proto::Rollout& rollout) {
      const auto at = missing.find(rollout.work_id());
      if (at == missing.end() || at->second.erase(rollout.sample()) == 0) return true;
      found[rollout.work_id()].push_back(rollout);
      if (at->second.empty()) missing.erase(at);
      return !missing.empty();
    });
    from = std::next(to);
  }
  return found;
}

}  // namespace kg::rollout
