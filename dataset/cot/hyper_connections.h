#pragma once

#include <cstdint>
#include <vector>

#include "proto/task.pb.h"

namespace kg::dataset::cot {

// The two kernels of manifold-constrained hyper-connections, in front of and behind a layer, as DeepSeek's reference
// states them: streams in bfloat16, coefficients in float. Of split "expert": neither trained on nor in the evaluation.
std::vector<proto::Task> hyper_connection_tasks(std::uint64_t seed);

}  // namespace kg::dataset::cot
