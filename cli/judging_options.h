#pragma once

#include <string>

#include "base/options.h"
#include "dataset/benchmarks/worker_process.h"
#include "sandbox/sandbox.h"

namespace kg::cli {

// Options of the commands that judge given kernels: `judge` and `eval --answers`.
struct JudgingOptions {
  std::string reward = "staged";
  dataset::benchmarks::WorkerOptions worker;
  sandbox::SandboxOptions sandbox;
  int jobs = 2;
};

void declare_judging(Options& options, JudgingOptions& values);

}  // namespace kg::cli
