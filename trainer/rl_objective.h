#pragma once

#include "trainer/algorithm.h"
#include "trainer/rl_options.h"

namespace kg::trainer {

// What an update of `kgtrain rl` optimises: the algorithm's row with the options that were given in place of its own.
struct RlObjective {
  AdvantageRule advantage;
  Aggregation aggregation;
  PolicyLossOptions loss;
  std::int64_t most_groups;  // made for an update; more than groups-per-step where groups without signal are replaced
  std::int64_t overlong_buffer;  // tokens; 0: no penalty
  bool mask_truncated;
};

// Throws Error where switches contradict each other.
RlObjective objective_of(const RlOptions& options);

}  // namespace kg::trainer
