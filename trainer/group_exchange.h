#pragma once

#include <vector>

#include "rollout/coordinator.h"
#include "trainer/replicas.h"

namespace kg::trainer {

// Sends the groups of an update, which the first process gets from the coordinator, to all that train with it. Only the
// task of a group's work is sent.
void share_groups(std::vector<rollout::FinishedWork>& groups, const Replicas& replicas);

}  // namespace kg::trainer
