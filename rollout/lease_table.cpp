#include "rollout/lease_table.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"

namespace kg::rollout {
namespace {

// Results of ended leases may still arrive; beyond so many newer leases they are no longer known.
constexpr std::size_t kEndedLeasesRemembered = 32768;
// A worker that says again and again that it comes further keeps a lease at most for so many times the deadline.
constexpr double kLongestLeaseInDeadlines = 24;
constexpr std::uint32_t kMostCredits = 4096;  // of a worker

}  // namespace

void LeaseTable::add_work(std::uint64_t work_id, std::uint32_t samples, const std::set<std::uint32_t>& durable) {
  KG_CHECK_LT(durable.size(), static_cast<std::size_t>(samples));
  KG_CHECK(durable.empty() || *durable.rbegin() < samples);
  WorkState work{.order = next_order_++, .samples = samples, .durable = durable};
  waiting_.insert({work.order, work_id});
  const bool is_new = works_.emplace(work_id, std::move(work)).second;
  KG_CHECK(is_new);
}

void LeaseTable::join(const std::string& worker, double now) {
  WorkerState& state = workers_[worker];
  state.heard = now;
  state.credits = 0;
  rank(worker);
}

std::vector<EndedLease> LeaseTable::leave(const std::string& worker, const std::string& reason, EndCause cause) {
  std::vector<EndedLease> ended;
  const auto at = workers_.find(worker);
  if (at == workers_.end()) return ended;
  at->second.credits = 0;
  rank(worker);
  const std::set<std::uint64_t> leases = at->second.leases;
  for (const std::uint64_t lease_id : leases) ended.push_back(close(lease_id, reason, cause, at->second.heard));
  workers_.erase(worker);
  return ended;
}

void LeaseTable::rank(const std::string& worker) {
  WorkerState& state = workers_.at(worker);
  if (state.ranked) ready_.erase({*state.ranked, worker});
  state.ranked.reset();
  if (state.credits == 0) return;
  state.ranked = state.leases.size();
  ready_.insert({*state.ranked, worker});
}

bool LeaseTable::heard(const std::string& worker, double now) {
  const auto at = workers_.find(worker);
  if (at == workers_.end()) return false;
  at->second.heard = now;
  return true;
}

void LeaseTable::offer(const std::string& worker, std::uint32_t credits) {
  const auto at = workers_.find(worker);
  if (at == workers_.end()) return;
  at->second.credits = std::min(kMostCredits, at->second.credits + std::min(credits, kMostCredits));
  rank(worker);
}

std::vector<EndedLease> LeaseTable::reconcile(const std::string& worker, const std::vector<std::uint64_t>& listed,
                                              std::uint32_t free, double now, std::vector<std::uint64_t>& not_held) {
  std::vector<EndedLease> ended;
  const auto at = workers_.find(worker);
  if (at == workers_.end()) return ended;
  WorkerState& state = at->second;
  for (const std::uint64_t lease_id : listed)
    if (!state.leases.contains(lease_id)) not_held.push_back(lease_id);
  std::uint32_t on_the_way = 0;
  const std::set<std::uint64_t> leases = state.leases;
  const std::set<std::uint64_t> held(listed.begin(), listed.end());
  for (const std::uint64_t lease_id : leases) {
    if (held.contains(lease_id)) continue;
    if (leases_.at(lease_id).granted + options_.delivery_seconds > now)
      ++on_the_way;
    else
      ended.push_back(close(lease_id, "the lease did not reach the worker", EndCause::kNeutral, now));
  }
  state.credits = free > on_the_way ? std::min(kMostCredits, free - on_the_way) : 0;
  rank(worker);
  return ended;
}

void LeaseTable::progress(std::uint64_t lease_id, const std::string& worker, std::uint64_t steps, double now) {
  const auto at = leases_.find(lease_id);
  if (at == leases_.end() || at->second.worker != worker || steps <= at->second.steps) return;
  at->second.steps = steps;
  at->second.deadline =
      std::min(now + options_.lease_seconds, at->second.granted + kLongestLeaseInDeadlines * options_.lease_seconds);
}

// Empty if nobody has credits.
std::string LeaseTable::choose_worker(const WorkState& work) const {
  auto best = ready_.begin();
  if (best == ready_.end()) return "";
  if (best->second == work.failed_at && std::next(best) != ready_.end()) ++best;
  return best->second;
}

std::vector<Grant> LeaseTable::grant(std::uint64_t version, double now) {
  std::vector<Grant> grants;
  for (auto next = waiting_.begin(); next != waiting_.end() && !ready_.empty();) {
    const std::uint64_t work_id = next->second;
    next = waiting_.erase(next);
    WorkState& work = works_.at(work_id);
    Grant grant{.lease_id = next_lease_++, .work_id = work_id, .worker = choose_worker(work), .version = version};
    grant.done.assign(work.durable.begin(), work.durable.end());
    grant.final_attempt = work.attempts + 1 >= options_.max_attempts;
    WorkerState& worker = workers_.at(grant.worker);
    --worker.credits;
    worker.leases.insert(grant.lease_id);
    rank(grant.worker);
    work.lease_id = grant.lease_id;
    leases_[grant.lease_id] = {.work_id = work_id,
                               .worker = grant.worker,
                               .version = version,
                               .granted = now,
                               .deadline = now + options_.lease_seconds};
    grants.push_back(std::move(grant));
  }
  return grants;
}

void LeaseTable::drop(std::uint64_t lease_id) {
  const auto at = leases_.find(lease_id);
  KG_CHECK(at != leases_.end());
  const OpenLease& lease = at->second;
  ended_[lease_id] = {.work_id = lease.work_id, .worker = lease.worker, .version = lease.version};
  if (ended_.size() > kEndedLeasesRemembered) ended_.erase(ended_.begin());
  workers_.at(lease.worker).leases.erase(lease_id);
  rank(lease.worker);
  leases_.erase(at);
}

void LeaseTable::count_end(WorkState& work, const std::string& reason, EndCause cause, double now) const {
  switch (cause) {
    case EndCause::kInWork:
      if (++work.attempts >= 2 * options_.max_attempts)  // the final one came back as well
        work.given_up = "it came back " + std::to_string(work.attempts) + " times, the last one because " + reason;
      return;
    case EndCause::kWorkerLost:
      if (++work.losses >= options_.max_losses)
        work.given_up = "no worker survived it: " + std::to_string(work.losses) +
                        " leases in a row ended, the last one because " + reason;
      return;
    case EndCause::kHostFault:
      if (work.host_faults++ == 0) work.host_faults_since = now;
      if (work.host_faults >= options_.max_losses && now >= work.host_faults_since + options_.host_fault_seconds)
        work.given_up = "no host could do it: " + std::to_string(work.host_faults) +
                        " leases in a row came back, the last one because " + reason;
      return;
    case EndCause::kNeutral:
      return;
  }
}

EndedLease LeaseTable::close(std::uint64_t lease_id, const std::string& reason, EndCause cause, double now) {
  const OpenLease& lease = leases_.at(lease_id);
  EndedLease ended{.lease_id = lease_id, .work_id = lease.work_id, .worker = lease.worker, .reason = reason};
  WorkState& work = works_.at(lease.work_id);
  work.lease_id = 0;
  work.failed_at = lease.worker;
  count_end(work, reason, cause, now);
  if (work.given_up.empty())
    waiting_.insert({work.order, lease.work_id});
  else
    given_up_.insert(lease.work_id);
  drop(lease_id);
  return ended;
}

std::vector<GivenUpWork> LeaseTable::given_up() const {
  std::vector<GivenUpWork> list;
  for (const std::uint64_t work_id : given_up_) {
    const WorkState& work = works_.at(work_id);
    GivenUpWork& one = list.emplace_back(GivenUpWork{.work_id = work_id, .missing = {}, .reason = work.given_up});
    for (std::uint32_t sample = 0; sample < work.samples; ++sample)
      if (!work.durable.contains(sample)) one.missing.push_back(sample);
  }
  return list;
}

void LeaseTable::revoke(std::uint64_t lease_id) {
  const auto at = leases_.find(lease_id);
  if (at == leases_.end()) return;
  const std::uint64_t work_id = at->second.work_id;
  const std::string failed_at = works_.at(work_id).failed_at;
  close(lease_id, "", EndCause::kNeutral, 0);
  works_.at(work_id).failed_at = failed_at;
}

std::optional<EndedLease> LeaseTable::give_back(std::uint64_t lease_id, const std::string& worker,
                                                const std::string& reason, EndCause cause, double now) {
  const auto at = leases_.find(lease_id);
  if (at == leases_.end() || at->second.worker != worker) return std::nullopt;
  return close(lease_id, reason, cause, now);
}

std::vector<EndedLease> LeaseTable::expire(double now, std::vector<std::string>& gone) {
  std::vector<EndedLease> ended;
  for (const auto& [name, state] : workers_)
    if (state.heard + options_.silence_seconds < now) gone.push_back(name);
  for (const std::string& name : gone)
    for (EndedLease& lease : leave(name, "the worker fell silent", EndCause::kWorkerLost))
      ended.push_back(std::move(lease));
  std::vector<std::uint64_t> late;
  for (const auto& [lease_id, lease] : leases_)
    if (lease.deadline < now) late.push_back(lease_id);
  for (const std::uint64_t lease_id : late)
    ended.push_back(close(lease_id, "the lease passed its deadline", EndCause::kWorkerLost, now));
  return ended;
}

Standing LeaseTable::standing(std::uint64_t work_id, std::uint32_t sample) const {
  const auto at = works_.find(work_id);
  if (at == works_.end() || sample >= at->second.samples) return Standing::kUnknown;
  return at->second.durable.contains(sample) ? Standing::kDuplicate : Standing::kWanted;
}

bool LeaseTable::stored(std::uint64_t work_id, std::uint32_t sample) {
  const auto at = works_.find(work_id);
  KG_CHECK(at != works_.end());
  WorkState& work = at->second;
  KG_CHECK_LT(sample, work.samples);
  work.durable.insert(sample);
  work.losses = work.host_faults = 0;
  if (work.durable.size() < work.samples) return false;
  if (work.lease_id != 0)
    drop(work.lease_id);
  else
    waiting_.erase({work.order, work_id});
  given_up_.erase(work_id);
  works_.erase(at);
  return true;
}

std::optional<LeaseRecord> LeaseTable::record(std::uint64_t lease_id) const {
  if (const auto open = leases_.find(lease_id); open != leases_.end())
    return LeaseRecord{.work_id = open->second.work_id, .worker = open->second.worker, .version = open->second.version};
  if (const auto ended = ended_.find(lease_id); ended != ended_.end()) return ended->second;
  return std::nullopt;
}

std::optional<std::uint64_t> LeaseTable::oldest_version() const {
  std::optional<std::uint64_t> oldest;
  for (const auto& [lease_id, lease] : leases_) oldest = std::min(oldest.value_or(lease.version), lease.version);
  return oldest;
}

std::vector<std::string> LeaseTable::workers() const {
  std::vector<std::string> names;
  for (const auto& [name, state] : workers_) names.push_back(name);
  return names;
}

}  // namespace kg::rollout
