#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reward/benchmark_case.h"
#include "rollout/coordinator.h"
#include "rollout/local_fleet.h"
#include "trainer/group_collector.h"
#include "trainer/weight_versions.h"

namespace kg::trainer {

// Gives the judge the tensors of tasks that have them in the data set, which must outlive the result. Set by a
// program's main; without it, verdicts on such tasks cannot be checked.
using CasesOf = std::function<reward::BenchmarkCases(const dataset::Dataset&)>;
CasesOf& known_cases();

// The source of rollouts for rl and eval: the policy's versions as files, the coordinator that hands out work, and the
// generator and workers of this host.
class RolloutSource {
 public:
  // Starts all of it; there is no work before the first version is published. `source` (the model without its weights)
  // and `data` must outlive it; fleet.coordinator is filled in here.
  RolloutSource(const rollout::CoordinatorOptions& coordinator, rollout::LocalFleetOptions fleet,
                dataset::Dataset& data, const policy::LoadedModel& source, const std::string& dtype);

  rollout::Coordinator& coordinator() { return *coordinator_; }
  GroupCollector& collector() { return collector_; }
  // Checksum of the first published weights.
  const std::string& checksum() const { return checksum_; }
  // Leases handed out from now on ask for this version.
  void publish(std::uint64_t version, const std::vector<policy::NamedTensor>& weights);
  // The same with adapters of the model that the run began with; `base`: policy::tensors_checksum of that model.
  void publish(std::uint64_t version, const policy::LoraAdapters& adapters, const std::string& base);
  // Removes the files of versions that no lease needs any more; `newest` is always kept.
  void remove_old_versions(std::uint64_t newest);
  // How often processes of this host were started again.
  std::uint32_t restarts() const;

 private:
  void announce(const proto::WeightsManifest& manifest);

  WeightVersions versions_;
  std::unique_ptr<rollout::Coordinator> coordinator_;
  std::string checksum_;
  rollout::LocalFleet fleet_;
  GroupCollector collector_;
};

}  // namespace kg::trainer
