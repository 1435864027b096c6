#pragma once

#include "proto/generate.pb.h"
#include "proto/task.pb.h"

namespace kg::rollout {

// Tells a grammar that knows the task (SamplingParameters.grammar "task") the tensors of the task's cases; for any
// other grammar, and for none, nothing.
void add_task_tensors(const proto::Task& task, proto::GenerateRequest& request);

}  // namespace kg::rollout
