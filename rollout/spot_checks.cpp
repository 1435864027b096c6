#include "rollout/spot_checks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "proto/fault_class.h"

namespace kg::rollout {
namespace {

constexpr double kSameReward = 1e-9;

// Limits depend on how fast a host is.
bool ran_into_a_limit(const proto::Verdict& verdict) {
  return std::any_of(verdict.faults().begin(), verdict.faults().end(),
                     [](const proto::Fault& fault) { return has_class(fault, proto::FaultClass::kLimit); });
}

}  // namespace

Agreement compare_verdicts(const proto::Rollout& claimed, const proto::Rollout& trusted) {
  const proto::Verdict &a = claimed.verdict(), &b = trusted.verdict();
  if (!a.reward_valid()) return Agreement::kSame;  // it claims no reward
  const bool same = claimed.kernel() == trusted.kernel() && a.stage() == b.stage() && a.correct() == b.correct() &&
                    a.compiled() == b.compiled() && std::abs(a.reward() - b.reward()) <= kSameReward;
  if (same) return Agreement::kSame;
  return claimed.kernel() == trusted.kernel() && a.reward() <= b.reward() && ran_into_a_limit(a) ? Agreement::kSlower
                                                                                                 : Agreement::kFalse;
}

void SpotChecks::add(const std::string& key, Held held, double now) {
  Record& record = records_[key];
  for (const Held& other : record.held)
    if (other.rollout.work_id() == held.rollout.work_id() && other.rollout.sample() == held.rollout.sample()) return;
  held.number = next_number_++;
  held.since = now;
  const double rate = record.results++ < options_.probation ? options_.first_rate : options_.rate;
  held.chosen = std::uniform_real_distribution<>(0, 1)(random_) < rate;
  record.held.push_back(std::move(held));
}

std::optional<std::pair<std::string, SpotChecks::Held>> SpotChecks::next(double now) {
  std::pair<const std::string, Record>* best = nullptr;
  Held* due = nullptr;
  for (auto& entry : records_) {
    Held* chosen = nullptr;
    bool coming = false;
    for (Held& held : entry.second.held) {
      coming |= held.chosen;
      if (held.chosen && !held.checking && chosen == nullptr) chosen = &held;
    }
    if (!coming && !entry.second.held.empty() && now >= entry.second.held.front().since + options_.patience_seconds) {
      chosen = &entry.second.held.back();
      chosen->chosen = true;
    }
    if (chosen != nullptr && (due == nullptr || chosen->since < due->since)) {
      best = &entry;
      due = chosen;
    }
  }
  if (due == nullptr) return std::nullopt;
  due->checking = true;
  return std::pair{best->first, *due};
}

std::vector<SpotChecks::Held> SpotChecks::release(const std::string& key, Held checked, bool alone) {
  std::vector<Held> released;
  const auto at = records_.find(key);
  if (at == records_.end()) return released;
  std::deque<Held>& held = at->second.held;
  const auto found =
      std::find_if(held.begin(), held.end(), [&](const Held& one) { return one.number == checked.number; });
  if (found == held.end()) return released;
  *found = std::move(checked);
  // What came before and is being checked, or is to be, waits for its own check.
  std::deque<Held> kept;
  for (auto one = held.begin(); one != held.end(); ++one) {
    if (one == found || (!alone && one < found && !one->chosen))
      released.push_back(std::move(*one));
    else
      kept.push_back(std::move(*one));
  }
  held = std::move(kept);
  return released;
}

std::vector<SpotChecks::Held> SpotChecks::drop(const std::string& key) {
  std::vector<Held> dropped;
  const auto at = records_.find(key);
  if (at == records_.end()) return dropped;
  for (Held& one : at->second.held) dropped.push_back(std::move(one));
  records_.erase(at);
  return dropped;
}

std::size_t SpotChecks::waiting(const std::string& key) const {
  const auto at = records_.find(key);
  return at == records_.end() ? 0 : at->second.held.size();
}

std::size_t SpotChecks::waiting() const {
  std::size_t count = 0;
  for (const auto& [key, record] : records_) count += record.held.size();
  return count;
}

}  // namespace kg::rollout
