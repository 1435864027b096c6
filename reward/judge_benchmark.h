#pragma once

#include <vector>

#include "proto/sandbox.pb.h"
#include "reward/judge.h"

namespace kg::reward {

// The verdict on an imported task. `request` holds all but the cases, which run one request each: their tensors are
// large. `correct` follows the benchmark's own checker; Verdict.strict says what fp64 outputs say.
proto::Verdict judge_benchmark(sandbox::Sandbox& sandbox, const proto::Task& task, proto::ExecutionRequest request,
                               const std::vector<int>& cases, const JudgeOptions& options);

}  // namespace kg::reward
