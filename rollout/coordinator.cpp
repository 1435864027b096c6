#include "rollout/coordinator.h"

#include "base/error.h"
#include "rollout/coordinator_server.h"
#include "rollout/lineage.h"

namespace kg::rollout {

bool version_fits(const Work& work, const proto::Rollout& rollout) {
  const std::uint64_t number = number_of(rollout.policy_version());
  return number >= work.oldest_version && number <= work.newest_version;
}

std::unique_ptr<Coordinator> Coordinator::start(const CoordinatorOptions& options, dataset::Dataset& data) {
  if (options.run.empty() || options.run_folder.empty())
    throw Error("a coordinator wants the name and the folder of its run", "CoordinatorOptions",
                "set run and run_folder");
  return std::make_unique<CoordinatorServer>(options, data);
}

}  // namespace kg::rollout
