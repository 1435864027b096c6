#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rollout/allowed_workers.h"
#include "rollout/coordinator.h"
#include "rollout/lease_table.h"
#include "rollout/lineage.h"
#include "rollout/spot_checks.h"
#include "rollout/weights_files.h"
#include "rollout/work_book.h"
#include "rollout/work_counter.h"

namespace kg::rollout {

// What the coordinator knows. All under the server's mutex, but for what arrives, which is the socket thread's own.
struct CoordinatorState {
  CoordinatorState(const CoordinatorOptions& options, dataset::Dataset& data);

  struct Peer {
    std::string name;
    std::string key;  // CURVE key; empty: a process of this host and user
    std::uint32_t lies = 0;
    double busy = 0;
  };
  // A result of this round: to be stored, or only to be acknowledged.
  struct Arrived {
    std::string identity;
    proto::Rollout rollout;
    bool duplicate = false;
  };

  const CoordinatorOptions options;
  dataset::Dataset& data;
  const Lineage lineage;
  LeaseTable leases;
  WorkCounter counter;
  WorkBook book;
  WeightsServer weights;
  std::optional<proto::WeightsManifest> newest;
  std::map<std::string, Peer> peers;  // by ZeroMQ identity
  CoordinatorStats stats;
  std::vector<Arrived> arrived;
  std::set<std::pair<std::uint64_t, std::uint32_t>> arriving;  // work and sample of those among them to be stored
  SpotChecks checks;
  std::map<std::string, std::string> refused_keys;  // of workers that lied: why
  std::optional<AllowedWorkers> allowed;            // if other hosts may connect

  bool is_arriving(std::uint64_t work_id, std::uint32_t sample) const { return arriving.contains({work_id, sample}); }
  void arrive(Arrived result);
  // The worker with this key is never heard again, in this run.
  void refuse_key(const std::string& key, const std::string& reason);
  // Counts and logs a lease that ended without all its results.
  void report_ended(const EndedLease& ended, std::uint64_t& counted);
};

}  // namespace kg::rollout
