#include "rollout/work_book.h"

#include <algorithm>

#include "base/check.h"

namespace kg::rollout {
namespace {

constexpr std::size_t kRecentWorks = 128;

}  // namespace

WorkBook::WorkBook(const dataset::Dataset& data, std::string run) : run_(std::move(run)) {
  data.for_each_rollout([&](const proto::Rollout& rollout) {
    if (rollout.run() != run_) return true;
    durable_[rollout.work_id()].insert(rollout.sample());
    recent_[rollout.work_id()].emplace(rollout.sample(), rollout);
    if (recent_.size() > kRecentWorks) recent_.erase(recent_.begin());
    largest_ = std::max<std::uint64_t>(largest_, rollout.work_id());
    return true;
  });
}

bool WorkBook::is_durable(std::uint64_t work_id, std::uint32_t sample) const {
  const auto at = durable_.find(work_id);
  return at != durable_.end() && at->second.contains(sample);
}

std::set<std::uint32_t> WorkBook::durable_samples(std::uint64_t work_id, std::uint32_t samples) const {
  const auto at = durable_.find(work_id);
  if (at == durable_.end()) return {};
  return {at->second.begin(), at->second.lower_bound(samples)};
}

std::vector<proto::Rollout> WorkBook::recent_rollouts(std::uint64_t work_id,
                                                      const std::set<std::uint32_t>& samples) const {
  std::vector<proto::Rollout> found;
  const auto at = recent_.find(work_id);
  if (at == recent_.end()) return found;
  for (const std::uint32_t sample : samples)
    if (const auto rollout = at->second.find(sample); rollout != at->second.end()) found.push_back(rollout->second);
  return found;
}

const Work* WorkBook::find(std::uint64_t work_id) const {
  const auto at = open_.find(work_id);
  return at == open_.end() ? nullptr : &at->second.work;
}

bool WorkBook::open(Work work, std::vector<proto::Rollout> durable) {
  const std::uint64_t work_id = work.work_id;
  OpenGroup& group = open_[work_id];
  group.work = std::move(work);
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
  durable_[work_id].insert(sample);
  largest_ = std::max(largest_, work_id);
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

std::vector<proto::Rollout> read_rollouts(const dataset::Dataset& data, const std::string& run, std::uint64_t work_id,
                                          const std::set<std::uint32_t>& samples) {
  std::set<std::uint32_t> missing = samples;
  std::vector<proto::Rollout> found;
  if (missing.empty()) return found;
  data.for_each_rollout([&](const proto::Rollout& rollout) {
    if (rollout.work_id() == work_id && rollout.run() == run && missing.erase(rollout.sample()) > 0)
      found.push_back(rollout);
    return !missing.empty();
  });
  KG_CHECK(missing.empty());
  return found;
}

}  // namespace kg::rollout
