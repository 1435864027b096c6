#pragma once

#include "rollout/coordinator_state.h"

namespace kg::rollout {

// What no worker can do arrives without a reward, so that its group ends. On the socket thread, under the mutex.
void store_given_up(CoordinatorState& state);

}  // namespace kg::rollout
