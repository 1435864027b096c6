#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proto/task.pb.h"
#include "proto/verdict.pb.h"
#include "reward/benchmark_case.h"
#include "reward/reward_config.h"
#include "sandbox/sandbox.h"

namespace kg::reward {

// Where the cycles of a case went, and what it moved.
struct CycleReport {
  int index = -1;  // of the case; -1: none ran to its end
  proto::CycleProfile profile;
  std::uint64_t bytes_read = 0, bytes_written = 0;  // from and to global memory
  std::uint64_t tensor_bytes = 0;                   // of its inputs and outputs, each once
};

struct JudgeOptions {
  RewardConfig reward;
  proto::ResourceLimits limits;  // zero fields: the sandbox's defaults
  std::optional<int> only_case;  // all cases unless one is named
  proto::SourceLanguage language = proto::ASCENDC;
  std::uint64_t core_order_seed = 0;
  BenchmarkCases benchmark_cases;       // where the cases of imported tasks come from; none: they cannot be judged
  std::string* timeline = nullptr;      // takes the Chrome trace of the first case judged
  CycleReport* cycle_report = nullptr;  // takes that of the first case judged
  std::string module_rules;             // Python of the benchmark that says what an answer must not do; modules only
  bool second_look = true;              // at kernels whose every case passed (second_look.h)
};

// Kernel source to verdict: the sandbox runs it, the outputs are compared here with fp64 golden values that the
// kernel's process never saw. Stages, faults, baseline and speed-up as the design page defines them. Never throws for
// what a kernel does.
proto::Verdict judge(sandbox::Sandbox& sandbox, const proto::Task& task, const std::string& kernel_source,
                     const JudgeOptions& options);

// The same of an operator project: its host side decides data types, block dimension, tiling key, workspace and tiling
// data of each case.
proto::Verdict judge_project(sandbox::Sandbox& sandbox, const proto::Task& task,
                             const std::vector<proto::ProjectFile>& files, const JudgeOptions& options);

// judge() of a kernel of ours: tried up to four times if the sandbox failed, then Error.
proto::Verdict judge_surely(sandbox::Sandbox& sandbox, const proto::Task& task, const std::string& kernel_source,
                            const JudgeOptions& options);

}  // namespace kg::reward
