#include "trainer/rollout_source.h"

#include <nlohmann/json.hpp>

#include "rollout/judging.h"

namespace kg::trainer {
namespace {

// Workers of other hosts are not trusted with verdicts: some are judged again here, by the rules that the workers have.
rollout::CoordinatorOptions with_checker(rollout::CoordinatorOptions options, const dataset::Dataset& data) {
  if (options.bind.empty()) return options;
  proto::Welcome rules;
  rules.set_reward_config_json(reward::to_json(options.reward).dump());
  *rules.mutable_limits() = options.limits;
  rules.set_language(options.language);
  rollout::JudgingOptions judging;
  if (known_cases()) judging.benchmark_cases = known_cases()(data);
  options.checker = rollout::make_judge(judging, rules);
  return options;
}

rollout::LocalFleetOptions connected(rollout::LocalFleetOptions fleet, const rollout::Coordinator& coordinator) {
  fleet.coordinator = coordinator.endpoint();
  return fleet;
}

}  // namespace

CasesOf& known_cases() {
  static CasesOf known;
  return known;
}

RolloutSource::RolloutSource(const rollout::CoordinatorOptions& coordinator, rollout::LocalFleetOptions fleet,
                             dataset::Dataset& data, const policy::LoadedModel& source, const std::string& dtype)
    : versions_(coordinator.run_folder, source, dtype),
      coordinator_(rollout::Coordinator::start(with_checker(coordinator, data), data)),
      fleet_(connected(std::move(fleet), *coordinator_)),
      collector_(*coordinator_, fleet_) {}

void RolloutSource::announce(const proto::WeightsManifest& manifest) {
  if (checksum_.empty()) checksum_ = manifest.checksum();
  coordinator_->publish_weights(manifest);
}

void RolloutSource::publish(std::uint64_t version, const std::vector<policy::NamedTensor>& weights) {
  announce(versions_.write(version, weights));
}

void RolloutSource::publish(std::uint64_t version, const policy::LoraAdapters& adapters, const std::string& base) {
  announce(versions_.write(version, adapters, base));
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
