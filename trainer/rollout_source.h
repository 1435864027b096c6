#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rollout/coordinator.h"
#include "rollout/local_fleet.h"
#include "trainer/group_collector.h"
#include "trainer/weight_versions.h"

namespace kg::trainer {

// Where rl and eval get rollouts from: the policy's versions as files, the coordinator that hands out work, and the
// generator and workers of this host.
class RolloutSource {
 public:
  // Starts all of it with `weights` as the policy's version `version`. `source` (the model without its weights) and
  // `data` outlive it; fleet.coordinator is filled in here.
  RolloutSource(const rollout::CoordinatorOptions& coordinator, rollout::LocalFleetOptions fleet,
                dataset::Dataset& data, const policy::LoadedModel& source, const std::string& dtype,
                std::uint64_t version, const std::vector<policy::NamedTensor>& weights);

  rollout::Coordinator& coordinator() { return *coordinator_; }
  GroupCollector& collector() { return collector_; }
  // Of the weights that it was started with.
  const std::string& checksum() const { return checksum_; }
  // Leases handed out from now on ask for this version.
  void publish(std::uint64_t version, const std::vector<policy::NamedTensor>& weights);
  // Removes the files of versions that no lease needs any more; `newest` is always kept.
  void remove_old_versions(std::uint64_t newest);
  // How often processes of this host were started again.
  std::uint32_t restarts() const;

 private:
  WeightVersions versions_;
  std::unique_ptr<rollout::Coordinator> coordinator_;
  std::string checksum_;
  rollout::LocalFleet fleet_;
  GroupCollector collector_;
};

}  // namespace kg::trainer
