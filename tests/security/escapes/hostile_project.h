#pragma once

#include <vector>

#include "attack.h"
#include "proto/sandbox.pb.h"

namespace kg::sandbox::testing {

// An operator project whose tiling function holds the attacks; the request's `attack` attribute says which of them it
// runs. Plain C++ with the whole C library: what a kernel would be that had got out of the emulated device.
proto::ExecutionRequest hostile_project(const std::vector<Attack>& attacks, const std::string& bait);
void choose_attack(proto::ExecutionRequest& request, std::size_t index);

// One attack alone, which the request runs; `before` in front of the tiling function.
proto::ExecutionRequest hostile_project(const std::string& code, const std::string& before = "");

}  // namespace kg::sandbox::testing
