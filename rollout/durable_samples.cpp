#include "rollout/durable_samples.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace kg::rollout {

DurableSamples::Runs::const_iterator DurableSamples::run_of(std::uint64_t work_id) const {
  auto after = runs_.upper_bound(work_id);
  if (after == runs_.begin()) return runs_.end();
  const auto before = std::prev(after);
  return before->second.last >= work_id ? before : runs_.end();
}

bool DurableSamples::contains(std::uint64_t work_id, std::uint32_t sample) const {
  if (const auto run = run_of(work_id); run != runs_.end()) return sample < run->second.samples;
  const auto at = open_.find(work_id);
  return at != open_.end() && at->second.contains(sample);
}

std::set<std::uint32_t> DurableSamples::of(std::uint64_t work_id, std::uint32_t samples) const {
  std::set<std::uint32_t> found;
  if (const auto run = run_of(work_id); run != runs_.end()) {
    for (std::uint32_t sample = 0; sample < std::min(samples, run->second.samples); ++sample) found.insert(sample);
  } else if (const auto at = open_.find(work_id); at != open_.end()) {
    found.insert(at->second.begin(), at->second.lower_bound(samples));
  }
  return found;
}

// Takes a work out of its run, which becomes up to two.
void DurableSamples::unseal(std::uint64_t work_id) {
  const auto at = run_of(work_id);
  if (at == runs_.end()) return;
  const std::uint64_t first = at->first;
  const Run run = at->second;
  runs_.erase(at);
  if (first < work_id) runs_[first] = {work_id - 1, run.samples};
  if (work_id < run.last) runs_[work_id + 1] = run;
  for (std::uint32_t sample = 0; sample < run.samples; ++sample) open_[work_id].insert(sample);
}

void DurableSamples::add(std::uint64_t work_id, std::uint32_t sample) {
  if (contains(work_id, sample)) return;
  unseal(work_id);
  open_[work_id].insert(sample);
}

void DurableSamples::seal(std::uint64_t work_id) {
  const auto at = open_.find(work_id);
  if (at == open_.end() || at->second.empty()) return;
  const auto samples = static_cast<std::uint32_t>(at->second.size());
  if (*at->second.rbegin() != samples - 1) return;
  open_.erase(at);
  Run run{work_id, samples};
  std::uint64_t first = work_id;
  if (const auto next = runs_.find(work_id + 1); next != runs_.end() && next->second.samples == samples) {
    run.last = next->second.last;
    runs_.erase(next);
  }
  if (const auto before = work_id > 0 ? run_of(work_id - 1) : runs_.end();
      before != runs_.end() && before->second.samples == samples) {
    first = before->first;
    runs_.erase(before);
  }
  runs_[first] = run;
}

void DurableSamples::seal_all() {
  std::vector<std::uint64_t> works;
  works.reserve(open_.size());
  for (const auto& [work_id, samples] : open_) works.push_back(work_id);
  for (const std::uint64_t work_id : works) seal(work_id);
}

}  // namespace kg::rollout
