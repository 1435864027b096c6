#pragma once

#include <string>

#include "dataset/benchmarks/worker_process.h"
#include "dataset/store/dataset.h"
#include "reward/judge.h"

namespace kg::cli {

// Judges a file of JSON lines {"task", "kernel"} with `jobs` sandboxes at once; prints one record per line in the order
// of the input. Before anything is judged, a malformed line or an unknown task throws Error with the line's
// number.
int judge_batch(const dataset::Dataset& data, const std::string& file, int jobs,
                const dataset::benchmarks::WorkerOptions& worker, sandbox::SandboxOptions sandbox_options,
                reward::JudgeOptions judge_options);

}  // namespace kg::cli
