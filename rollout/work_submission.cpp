#include "rollout/work_submission.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "base/log.h"
#include "rollout/work_content.h"

namespace kg::rollout {
namespace {

constexpr std::uint32_t kAllSamples = ~0u;

using Durable = std::map<std::uint64_t, std::vector<proto::Rollout>>;  // rollouts by work

// Damage has hit them since their keys were written down: they are made again.
void forget_unreadable(CoordinatorState& state, std::uint64_t work_id, std::set<std::uint32_t> samples,
                       const std::vector<proto::Rollout>& readable) {
  for (const proto::Rollout& rollout : readable) samples.erase(rollout.sample());
  for (const std::uint32_t sample : samples) {
    spdlog::error("work {} sample {} is stored but cannot be read; it is made again", work_id, sample);
    state.book.unreadable(work_id, sample);
  }
}

// The rollouts that the data set holds under the numbers of these works, and of the works kept from the start that have
// the same content. Reading takes its time, and a result may become durable meanwhile: then they are read again.
Durable durable_rollouts(CoordinatorState& state, const std::vector<SubmittedWork>& works,
                         std::unique_lock<std::mutex>& lock) {
  Durable found;
  for (;;) {
    std::map<std::uint64_t, std::set<std::uint32_t>> unread;
    const auto look_for = [&](std::uint64_t work_id) {
      std::set<std::uint32_t> samples = state.book.durable_samples(work_id, kAllSamples);
      if (state.book.is_open(work_id) || found[work_id].size() == samples.size()) return;
      if (auto recent = state.book.recent_rollouts(work_id, samples))
        found[work_id] = std::move(*recent);
      else
        unread[work_id] = std::move(samples);
    };
    for (const auto& [work, content] : works) {
      look_for(work.work_id);
      if (const auto other = state.book.recent_work_of(content)) look_for(*other);
    }
    if (unread.empty()) return found;
    lock.unlock();
    auto read = read_rollouts(state.data, state.options.run, unread);
    lock.lock();
    for (const auto& [work_id, samples] : unread) {
      found[work_id] = std::move(read[work_id]);
      forget_unreadable(state, work_id, samples, found[work_id]);
    }
  }
}

// Opens the work under the number that it asks for, if that is free or its own; else under the one that its content
// has in the data set, or a new one.
std::uint64_t open_work(CoordinatorState& state, Work work, std::uint64_t content, Durable& durable) {
  const auto is_its_own = [&](std::uint64_t work_id) {
    if (state.book.is_open(work_id)) return state.book.content(work_id) == content;
    const std::vector<proto::Rollout>& rollouts = durable[work_id];
    return rollouts.empty() || (content_of(rollouts.front()) == content &&
                                std::all_of(rollouts.begin(), rollouts.end(), [&](const proto::Rollout& rollout) {
                                  return version_fits(work, rollout);
                                }));
  };
  if (!is_its_own(work.work_id)) {
    const auto other = state.book.recent_work_of(content);
    work.work_id = other && is_its_own(*other) ? *other : state.counter.next();
  }
  const std::uint64_t work_id = work.work_id;
  if (state.book.is_open(work_id)) return work_id;
  const std::uint32_t samples = work.samples;
  std::vector<proto::Rollout> rollouts = std::move(durable[work_id]);
  std::erase_if(rollouts, [&](const proto::Rollout& rollout) { return rollout.sample() >= samples; });
  if (!state.book.open(std::move(work), content, std::move(rollouts)))
    state.leases.add_work(work_id, samples, state.book.durable_samples(work_id, samples));
  return work_id;
}

}  // namespace

std::vector<SubmittedWork> with_contents(std::vector<Work> works) {
  std::vector<SubmittedWork> submitted;
  submitted.reserve(works.size());
  for (Work& work : works) {
    const std::uint64_t content = content_of(work);
    submitted.push_back({std::move(work), content});
  }
  return submitted;
}

std::vector<std::uint64_t> submit_works(CoordinatorState& state, std::vector<SubmittedWork> works,
                                        std::unique_lock<std::mutex>& lock) {
  std::uint64_t largest = 0;
  for (const auto& [work, content] : works) {
    KG_CHECK_GT(work.samples, 0u);
    largest = std::max(largest, work.work_id);
  }
  state.counter.skip_to(largest + 1);
  for (auto& [work, content] : works)
    if (work.work_id == 0) work.work_id = state.counter.next();
  Durable durable = durable_rollouts(state, works, lock);
  std::vector<std::uint64_t> ids;
  for (auto& [work, content] : works) ids.push_back(open_work(state, std::move(work), content, durable));
  return ids;
}

}  // namespace kg::rollout
