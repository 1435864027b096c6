#pragma once

#include <functional>
#include <map>
#include <vector>

#include "rollout/coordinator.h"
#include "rollout/local_fleet.h"

namespace kg::trainer {

// Returns a coordinator's groups in the order that the caller wants, whatever the order in which they are
// completed.
class GroupCollector {
 public:
  GroupCollector(rollout::Coordinator& coordinator, const rollout::LocalFleet& fleet)
      : coordinator_(coordinator), fleet_(fleet) {}

  // The groups of `works`, in that order, once all are complete; empty if a stop was requested. Calls `show` at
  // least once a second. Throws Error if the processes of this host cannot be kept running.
  std::vector<rollout::FinishedWork> collect(const std::vector<std::uint64_t>& works,
                                             const std::function<void()>& show);
  // The next completed group; nothing if none is completed within a second.
  std::optional<rollout::FinishedWork> next();

 private:
  rollout::Coordinator& coordinator_;
  const rollout::LocalFleet& fleet_;
  std::map<std::uint64_t, rollout::FinishedWork> finished_;
};

}  // namespace kg::trainer
