#include "rollout/coordinator.h"

#include <algorithm>
#include <cctype>

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

std::string node_of(const std::string& worker) {
  const std::size_t slash = worker.find('/');
  std::string node = slash == std::string::npos ? "local" : worker.substr(0, std::min<std::size_t>(slash, 64));
  for (char& c : node)  // a worker of another host says what it likes
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_' && c != '-') c = '?';
  return node;
}

}  // namespace kg::rollout
