#include "rollout/coordinator.h"

#include "base/error.h"
#include "rollout/coordinator_server.h"

namespace kg::rollout {

std::unique_ptr<Coordinator> Coordinator::start(const CoordinatorOptions& options, dataset::Dataset& data) {
  if (options.run.empty() || options.run_folder.empty())
    throw Error("a coordinator wants the name and the folder of its run", "CoordinatorOptions",
                "set run and run_folder");
  return std::make_unique<CoordinatorServer>(options, data);
}

}  // namespace kg::rollout
