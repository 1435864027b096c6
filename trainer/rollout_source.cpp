#include "trainer/rollout_source.h"

namespace kg::trainer {
namespace {

std::string publish_first(WeightVersions& versions, rollout::Coordinator& coordinator, std::uint64_t version,
                          const std::vector<policy::NamedTensor>& weights) {
  const proto::WeightsManifest manifest = versions.write(version, weights);
  coordinator.publish_weights(manifest);
  return manifest.checksum();
}

rollout::LocalFleetOptions connected(rollout::LocalFleetOptions fleet, const rollout::Coordinator& coordinator) {
  fleet.coordinator = coordinator.endpoint();
  return fleet;
}

}  // namespace

RolloutSource::RolloutSource(const rollout::CoordinatorOptions& coordinator, rollout::LocalFleetOptions fleet,
                             dataset::Dataset& data, const policy::LoadedModel& source, const std::string& dtype,
                             std::uint64_t version, const std::vector<policy::NamedTensor>& weights)
    : versions_(coordinator.run_folder, source, dtype),
      coordinator_(rollout::Coordinator::start(coordinator, data)),
      checksum_(publish_first(versions_, *coordinator_, version, weights)),
      fleet_(connected(std::move(fleet), *coordinator_)),
      collector_(*coordinator_, fleet_) {}

void RolloutSource::publish(std::uint64_t version, const std::vector<policy::NamedTensor>& weights) {
  coordinator_->publish_weights(versions_.write(version, weights));
}

void RolloutSource::remove_old_versions(std::uint64_t newest) {
  versions_.remove_before(coordinator_->oldest_version_in_use().value_or(newest));
}

std::uint32_t RolloutSource::restarts() const {
  std::uint32_t restarts = 0;
  for (const rollout::FleetMember& member : fleet_.members()) restarts += member.restarts;
  return restarts;
}

}  // namespace kg::trainer
