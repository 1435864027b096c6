#include "rollout/coordinator_state.h"

#include "base/log.h"

namespace kg::rollout {

CoordinatorState::CoordinatorState(const CoordinatorOptions& given, dataset::Dataset& store)
    : options(given),
      data(store),
      leases({.lease_seconds = given.lease_seconds,
              .silence_seconds = given.silence_seconds,
              .delivery_seconds = 3 * given.heartbeat_seconds,
              .max_attempts = given.max_attempts}),
      counter(given.run_folder / "work_counter"),
      book(store, given.run) {
  counter.skip_to(book.largest_work_id() + 1);
}

void CoordinatorState::report_ended(const EndedLease& ended, std::uint64_t& counted) {
  ++counted;
  const auto peer = peers.find(ended.worker);
  stats.last_return_reason = ended.reason;
  spdlog::warn("lease {} of work {} at {} ended: {}; the work is given out again", ended.lease_id, ended.work_id,
               peer == peers.end() ? "?" : peer->second.name, ended.reason);
}

}  // namespace kg::rollout
