#pragma once

#include <cstdint>
#include <vector>

#include "proto/task.pb.h"

namespace kg::dataset::cot {

// The two kernels of manifold-constrained hyper-connections, before and after a layer, as in DeepSeek's reference:
// streams in bfloat16, coefficients in float. Split "expert": neither trained on nor evaluated.
std::vector<proto::Task> hyper_connection_tasks(std::uint64_t seed);

}  // namespace kg::dataset::cot
