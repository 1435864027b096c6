#pragma once

#include <optional>
#include <string>

#include "proto/rollout.pb.h"
#include "rollout/coordinator_state.h"

namespace kg::rollout {

// Why a result can never be stored.
struct Rejection {
  std::string reason;
  bool is_lie = false;  // no honest worker of this run sends it; else it is of another run or of another work
};

// What can be said of a result without judging its kernel again: whose it is, whether the work is as it was given out,
// versions, sizes and numbers. Nothing if it can be stored.
std::optional<Rejection> check_result(const CoordinatorState& state, const std::string& identity,
                                      const proto::Result& result);

}  // namespace kg::rollout
