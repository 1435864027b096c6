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

// How a case spent its cycles, and what it moved.
struct CycleReport {
  int index = -1;  // index of the case; -1: none finished
  proto::CycleProfile profile;
  std::uint64_t bytes_read = 0, bytes_written = 0;  // from and to global memory
  std::uint64_t tensor_bytes = 0;                   // size of its inputs and outputs, each counted once
};

struct JudgeOptions {
  RewardConfig reward;
  proto::ResourceLimits limits;  // zero fields: use the sandbox's defaults
  std::optional<int> only_case;  // judge only this case; default: all
  proto::SourceLanguage language = proto::ASCENDC;
  std::uint64_t core_order_seed = 0;
  BenchmarkCases benchmark_cases;       // source of the cases of imported tasks; null: they cannot be judged
  std::string* timeline = nullptr;      // receives the Chrome trace of the first case judged
  CycleReport* cycle_report = nullptr;  // receives the report of the first case judged
  std::string* printed = nullptr;       // receives what the kernel printed in that case
  std::string module_rules;             // the benchmark's Python rules on what an answer must not do; modules only
  bool second_look = true;              // look again at kernels whose every case passed (second_look.h)
};

// From kernel source to verdict: the sandbox runs it, the outputs are compared here with fp64 golden values that the
// kernel's process never saw. Stages, faults, baseline and speed-up are defined on the design page. Never throws
// because of the kernel.
proto::Verdict judge(sandbox::Sandbox& sandbox, const proto::Task& task, const std::string& kernel_source,
                     const JudgeOptions& options);

// The same for an operator project: its host side decides data types, block dimension, tiling key, workspace and tiling
// data for each case.
proto::Verdict judge_project(sandbox::Sandbox& sandbox, const proto::Task& task,
                             const std::vector<proto::ProjectFile>& files, const JudgeOptions& options);

// judge() for one of our own kernels: tries up to four times if the sandbox fails, then throws Error.
proto::Verdict judge_surely(sandbox::Sandbox& sandbox, const proto::Task& task, const std::string& kernel_source,
                            const JudgeOptions& options);

}  // namespace kg::reward
