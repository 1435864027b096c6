#include "rollout/coordinator_state.h"

#include <algorithm>
#include <sstream>

#include "base/log.h"

namespace kg::rollout {
namespace {

fs::path refused_file(const CoordinatorOptions& options) { return options.run_folder / "refused_workers"; }

}  // namespace

CoordinatorState::CoordinatorState(const CoordinatorOptions& given, dataset::Dataset& store)
    : options(given),
      data(store),
      lineage(begin_lineage(given.run_folder)),
      leases({.lease_seconds = given.lease_seconds,
              .silence_seconds = given.silence_seconds,
              .delivery_seconds = 3 * given.heartbeat_seconds,
              .max_attempts = given.max_attempts,
              .max_losses = given.max_losses,
              .host_fault_seconds = given.host_fault_seconds,
              .first_lease = first_lease_of(lineage.number)}),
      counter(given.run_folder / "work_counter"),
      book(store, given.run),
      checks(given.checks) {
  counter.skip_to(book.largest_work_id() + 1);
  std::istringstream refused(fs::exists(refused_file(given)) ? read_file(refused_file(given)) : "");
  for (std::string key, reason; refused >> key && std::getline(refused, reason);) refused_keys[key] = reason.substr(1);
}

void CoordinatorState::arrive(Arrived result) {
  if (!result.duplicate) arriving.insert({result.rollout.work_id(), result.rollout.sample()});
  arrived.push_back(std::move(result));
}

void CoordinatorState::refuse_key(const std::string& key, const std::string& reason) {
  refused_keys[key] = reason;
  std::string text;
  for (const auto& [one, why] : refused_keys) text += one + " " + why + "\n";
  write_file_durably(refused_file(options), text);
}

void CoordinatorState::report_ended(const EndedLease& ended, std::uint64_t& counted) {
  ++counted;
  const auto peer = peers.find(ended.worker);
  stats.last_return_reason = ended.reason;
  spdlog::warn("lease {} of work {} at {} ended: {}; the work is given out again", ended.lease_id, ended.work_id,
               peer == peers.end() ? "?" : peer->second.name, ended.reason);
}

}  // namespace kg::rollout
