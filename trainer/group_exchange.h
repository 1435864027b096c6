#pragma once

#include <vector>

#include "rollout/coordinator.h"
#include "trainer/replicas.h"

namespace kg::trainer {

// The groups of an update, which the first process has of the coordinator, go to all that train with it. A group's work
// travels as its task alone.
void share_groups(std::vector<rollout::FinishedWork>& groups, const Replicas& replicas);

}  // namespace kg::trainer
