#pragma once

#include <string>

#include "dataset/benchmarks/worker_process.h"
#include "dataset/store/dataset.h"
#include "reward/judge.h"
#include "sandbox/sandbox.h"

namespace kg::cli {

// The program in an answer that is a PyTorch module: its first code block, else the whole answer, as in
// MultiKernelBench.
std::string module_text(const std::string& answer);

// What judging such a task needs besides the sandbox: a Python and the benchmark's rules. Does nothing for other tasks.
void prepare_for_module(const proto::Task& task, const dataset::Dataset& data,
                        const dataset::benchmarks::WorkerOptions& worker, sandbox::SandboxOptions& sandbox,
                        reward::JudgeOptions& rules);

}  // namespace kg::cli
