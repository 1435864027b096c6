#pragma once

#include "dataset/cot/composition.h"
#include "proto/task.pb.h"

namespace kg::dataset::cot {

// The absolute error that rounding may cause in the outputs of a case, beyond the type's tolerance
// (reward/tolerance.h): near zero, where terms cancel out. Measured: the graph is evaluated in fp64, and again with
// a float rounding error added to each node's result.
double noise_floor(const Structure& structure, const proto::OperatorGraph& graph, const proto::TaskCase& task_case);

}  // namespace kg::dataset::cot
