#pragma once

#include <cstdint>

#include "proto/record.pb.h"
#include "rollout/coordinator.h"

namespace kg::rollout {

// What makes a work the work that it is: task, prompt, distribution and random stream, purpose, the
// answer that it follows. Its number is only a
// name: a run that goes on with other options asks for other works under numbers that the data set knows already, and
// their rollouts must not be taken for its own.
std::uint64_t content_of(const Work& work);
// The same of the work that a rollout was made for.
std::uint64_t content_of(const proto::Rollout& rollout);

}  // namespace kg::rollout
