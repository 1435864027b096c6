#include "dataset/store/rollout_keys.h"

#include <algorithm>

namespace kg::dataset {

RolloutKeySet::Spans::const_iterator RolloutKeySet::span_of(std::uint64_t work) const {
  auto after = spans_.upper_bound(work);
  if (after == spans_.begin()) return spans_.end();
  --after;
  return after->second.last >= work ? after : spans_.end();
}

std::uint32_t RolloutKeySet::leading(std::uint64_t work) const {
  const auto span = span_of(work);
  return span == spans_.end() ? 0 : span->second.samples;
}

// `span` merged with neighbours that have as many samples.
void RolloutKeySet::join_neighbours(Spans::iterator span) {
  if (span != spans_.begin()) {
    const auto before = std::prev(span);
    if (before->second.last + 1 == span->first && before->second.samples == span->second.samples) {
      before->second.last = span->second.last;
      spans_.erase(span);
      span = before;
    }
  }
  const auto after = std::next(span);
  if (after != spans_.end() && span->second.last + 1 == after->first && span->second.samples == after->second.samples) {
    span->second.last = after->second.last;
    spans_.erase(after);
  }
}

void RolloutKeySet::set_leading(std::uint64_t work, std::uint32_t samples) {
  if (const auto found = span_of(work); found != spans_.end()) {
    const std::uint64_t first = found->first;
    const Span span = found->second;
    spans_.erase(found);
    if (first < work) spans_[first] = {work - 1, span.samples};
    if (work < span.last) spans_[work + 1] = span;
  }
  if (samples > 0) join_neighbours(spans_.insert({work, {work, samples}}).first);
}

bool RolloutKeySet::contains(std::uint64_t work, std::uint32_t sample) const {
  if (sample < leading(work)) return true;
  const auto other = others_.find(work);
  return other != others_.end() && other->second.contains(sample);
}

bool RolloutKeySet::insert(std::uint64_t work, std::uint32_t sample) {
  std::uint32_t samples = leading(work);
  if (sample < samples) return false;
  if (sample > samples) {
    const bool is_new = others_[work].insert(sample).second;
    size_ += is_new;
    return is_new;
  }
  ++samples;
  ++size_;
  if (const auto other = others_.find(work); other != others_.end()) {
    while (other->second.erase(samples) > 0) ++samples;
    if (other->second.empty()) others_.erase(other);
  }
  set_leading(work, samples);
  return true;
}

void RolloutKeySet::erase(std::uint64_t work, std::uint32_t sample) {
  const std::uint32_t samples = leading(work);
  if (sample >= samples) {
    const auto other = others_.find(work);
    if (other == others_.end() || other->second.erase(sample) == 0) return;
    if (other->second.empty()) others_.erase(other);
  } else {
    for (std::uint32_t behind = sample + 1; behind < samples; ++behind) others_[work].insert(behind);
    set_leading(work, sample);
  }
  --size_;
}

std::uint64_t RolloutKeySet::largest_work() const {
  return std::max(spans_.empty() ? 0 : spans_.rbegin()->second.last, others_.empty() ? 0 : others_.rbegin()->first);
}

std::uint64_t RolloutKeySet::first_of_last(std::uint64_t count) const {
  auto span = spans_.rbegin();
  auto other = others_.rbegin();
  std::uint64_t smallest = 0;
  while (count > 0 && (span != spans_.rend() || other != others_.rend())) {
    if (other != others_.rend() && (span == spans_.rend() || other->first > span->second.last)) {
      smallest = other->first;
      ++other;
      --count;
      continue;
    }
    const std::uint64_t works = span->second.last - span->first + 1;
    if (works >= count) return span->second.last - count + 1;
    smallest = span->first;
    count -= works;
    while (other != others_.rend() && other->first >= span->first) ++other;
    ++span;
  }
  return smallest;
}

std::set<std::uint32_t> RolloutKeySet::samples(std::uint64_t work, std::uint32_t below) const {
  std::set<std::uint32_t> found;
  for (std::uint32_t sample = 0, n = std::min(leading(work), below); sample < n; ++sample)
    found.insert(found.end(), sample);
  if (const auto other = others_.find(work); other != others_.end())
    found.insert(other->second.begin(), other->second.lower_bound(below));
  return found;
}

bool RolloutKeySet::any(std::uint64_t first, std::uint64_t last) const {
  const auto other = others_.lower_bound(first);
  if (other != others_.end() && other->first <= last) return true;
  if (span_of(first) != spans_.end()) return true;
  const auto span = spans_.lower_bound(first);
  return span != spans_.end() && span->first <= last;
}

void RolloutKeySet::insert_span(std::uint64_t first, std::uint64_t last, std::uint32_t samples) {
  if (!any(first, last)) {
    size_ += (last - first + 1) * samples;
    join_neighbours(spans_.insert({first, {last, samples}}).first);
    return;
  }
  for (std::uint64_t work = first;; ++work) {
    for (std::uint32_t sample = 0; sample < samples; ++sample) insert(work, sample);
    if (work == last) break;
  }
}

void RolloutKeySet::insert(const proto::RolloutKeys& keys) {
  for (int i = 0; i < std::min({keys.first_size(), keys.last_size(), keys.samples_size()}); ++i)
    if (keys.first(i) <= keys.last(i) && keys.samples(i) > 0) insert_span(keys.first(i), keys.last(i), keys.samples(i));
  for (int i = 0; i < std::min(keys.other_works_size(), keys.other_samples_size()); ++i)
    insert(keys.other_works(i), keys.other_samples(i));
}

void RolloutKeySet::write(proto::RolloutKeys& keys) const {
  for (const auto& [first, span] : spans_) {
    keys.add_first(first);
    keys.add_last(span.last);
    keys.add_samples(span.samples);
  }
  for (const auto& [work, samples] : others_) {
    for (const std::uint32_t sample : samples) {
      keys.add_other_works(work);
      keys.add_other_samples(sample);
    }
  }
}

}  // namespace kg::dataset
