#include "trainer/repair_buffer.h"

#include <algorithm>

namespace kg::trainer {

RepairBuffer::RepairBuffer(std::int64_t staleness, std::vector<FailedAnswer> waiting) : staleness_(staleness) {
  for (const FailedAnswer& answer : waiting) entries_.push_back({.answer = answer});
}

std::vector<FailedAnswer> RepairBuffer::take(std::int64_t update, std::int64_t count) {
  const std::int64_t known = update - staleness_;  // updates
  std::vector<FailedAnswer> taken;
  for (auto entry = entries_.rbegin(); entry != entries_.rend() && std::ssize(taken) < count; ++entry) {
    const std::int64_t failed = entry->answer.update;
    if (entry->taken_by >= 0 || failed >= known || failed < known - kUpdatesKept) continue;
    entry->taken_by = update;
    taken.push_back(entry->answer);
  }
  return taken;
}

void RepairBuffer::done(std::int64_t update, const std::vector<FailedAnswer>& failed) {
  // The updates after this one that are submitted already have taken theirs.
  const std::int64_t too_old = update + 1 - staleness_ - kUpdatesKept;
  std::erase_if(entries_, [&](const Entry& entry) {
    return entry.taken_by == update || (entry.taken_by < 0 && entry.answer.update < too_old);
  });
  for (const FailedAnswer& answer : failed) entries_.push_back({.answer = answer});
}

std::vector<FailedAnswer> RepairBuffer::waiting() const {
  std::vector<FailedAnswer> answers;
  for (const Entry& entry : entries_) answers.push_back(entry.answer);
  return answers;
}

}  // namespace kg::trainer
