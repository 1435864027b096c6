#include "rollout/lease_table.h"

#include <algorithm>

#include "base/check.h"

namespace kg::rollout {
namespace {

// Results of ended leases may still arrive; beyond so many newer leases their version is no longer checked.
constexpr std::size_t kEndedLeasesRemembered = 4096;

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
}

std::vector<EndedLease> LeaseTable::leave(const std::string& worker, const std::string& reason) {
  std::vector<EndedLease> ended;
  const auto at = workers_.find(worker);
  if (at == workers_.end()) return ended;
  const std::set<std::uint64_t> leases = at->second.leases;
  for (const std::uint64_t lease_id : leases) ended.push_back(close(lease_id, reason));
  workers_.erase(worker);
  return ended;
}

bool LeaseTable::heard(const std::string& worker, double now) {
  const auto at = workers_.find(worker);
  if (at == workers_.end()) return false;
  at->second.heard = now;
  return true;
}

void LeaseTable::offer(const std::string& worker, std::uint32_t credits) {
  const auto at = workers_.find(worker);
  if (at != workers_.end()) at->second.credits += credits;
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
  for (const std::uint64_t lease_id : leases) {
    if (std::find(listed.begin(), listed.end(), lease_id) != listed.end()) continue;
    if (leases_.at(lease_id).granted + options_.delivery_seconds > now)
      ++on_the_way;
    else
      ended.push_back(close(lease_id, "the lease did not reach the worker"));
  }
  state.credits = free > on_the_way ? free - on_the_way : 0;
  return ended;
}

LeaseTable::WorkerState* LeaseTable::choose_worker(const WorkState& work, std::string& name) {
  WorkerState* best = nullptr;
  std::pair<bool, std::size_t> best_rank;
  for (auto& [candidate, state] : workers_) {
    if (state.credits == 0) continue;
    const std::pair<bool, std::size_t> rank{candidate == work.failed_at, state.leases.size()};
    if (best != nullptr && best_rank <= rank) continue;
    best = &state;
    best_rank = rank;
    name = candidate;
  }
  return best;
}

std::vector<Grant> LeaseTable::grant(std::uint64_t version, double now) {
  std::vector<Grant> grants;
  const auto queue = waiting_;
  for (const auto& [order, work_id] : queue) {
    WorkState& work = works_.at(work_id);
    Grant grant{.work_id = work_id, .version = version};
    WorkerState* worker = choose_worker(work, grant.worker);
    if (worker == nullptr) continue;
    grant.lease_id = next_lease_++;
    grant.done.assign(work.durable.begin(), work.durable.end());
    grant.final_attempt = work.attempts + 1 >= options_.max_attempts;
    --worker->credits;
    worker->leases.insert(grant.lease_id);
    work.lease_id = grant.lease_id;
    waiting_.erase({order, work_id});
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
  ended_versions_[lease_id] = at->second.version;
  if (ended_versions_.size() > kEndedLeasesRemembered) ended_versions_.erase(ended_versions_.begin());
  workers_.at(at->second.worker).leases.erase(lease_id);
  leases_.erase(at);
}

EndedLease LeaseTable::close(std::uint64_t lease_id, const std::string& reason) {
  const OpenLease& lease = leases_.at(lease_id);
  EndedLease ended{.lease_id = lease_id, .work_id = lease.work_id, .worker = lease.worker, .reason = reason};
  WorkState& work = works_.at(lease.work_id);
  work.lease_id = 0;
  work.failed_at = lease.worker;
  waiting_.insert({work.order, lease.work_id});
  drop(lease_id);
  return ended;
}

void LeaseTable::revoke(std::uint64_t lease_id) {
  const auto at = leases_.find(lease_id);
  if (at == leases_.end()) return;
  const std::uint64_t work_id = at->second.work_id;
  const std::string failed_at = works_.at(work_id).failed_at;
  close(lease_id, "");
  works_.at(work_id).failed_at = failed_at;
}

std::optional<EndedLease> LeaseTable::give_back(std::uint64_t lease_id, const std::string& worker,
                                                const std::string& reason, bool in_work) {
  const auto at = leases_.find(lease_id);
  if (at == leases_.end() || at->second.worker != worker) return std::nullopt;
  if (in_work) ++works_.at(at->second.work_id).attempts;
  return close(lease_id, reason);
}

std::optional<EndedLease> LeaseTable::end(std::uint64_t lease_id, const std::string& reason) {
  if (!leases_.contains(lease_id)) return std::nullopt;
  return close(lease_id, reason);
}

std::vector<EndedLease> LeaseTable::expire(double now) {
  std::vector<EndedLease> ended;
  for (const std::string& name : workers()) {
    if (workers_.at(name).heard + options_.silence_seconds >= now) continue;
    for (EndedLease& lease : leave(name, "the worker fell silent")) ended.push_back(std::move(lease));
  }
  std::vector<std::uint64_t> late;
  for (const auto& [lease_id, lease] : leases_)
    if (lease.deadline < now) late.push_back(lease_id);
  for (const std::uint64_t lease_id : late) ended.push_back(close(lease_id, "the lease passed its deadline"));
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
  if (work.durable.size() < work.samples) return false;
  if (work.lease_id != 0)
    drop(work.lease_id);
  else
    waiting_.erase({work.order, work_id});
  works_.erase(at);
  return true;
}

std::optional<std::uint64_t> LeaseTable::version_of(std::uint64_t lease_id) const {
  if (const auto open = leases_.find(lease_id); open != leases_.end()) return open->second.version;
  if (const auto ended = ended_versions_.find(lease_id); ended != ended_versions_.end()) return ended->second;
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
