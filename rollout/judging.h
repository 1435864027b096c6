#pragma once

#include "proto/rollout.pb.h"
#include "reward/benchmark_case.h"
#include "rollout/judge_queue.h"
#include "sandbox/sandbox.h"

namespace kg::rollout {

struct JudgingOptions {
  sandbox::SandboxOptions sandbox;
  unsigned slots = 0;                      // kernels judged at a time on this host; 0: one for each core
  reward::BenchmarkCases benchmark_cases;  // of imported tasks; none: they cannot be judged
};

// What a worker does with a completion: takes the kernel out of the answer and has it judged in a sandbox of its own,
// under the rules of `welcome`.
JudgeQueue::Judge make_judge(const JudgingOptions& options, const proto::Welcome& welcome);

}  // namespace kg::rollout
