#pragma once

#include "base/options.h"
#include "dataset/benchmarks/own_operator.h"

namespace kg::cli {

// The options that turn a file into cases: those of `tasks add` and `judge --module`.
struct OwnOperatorOptions {
  dataset::benchmarks::OwnOptions own;
  int largest_megabytes = 16;
};

void declare_own_operator(Options& options, OwnOperatorOptions& values);

// Refuses, without starting Python, a file that defines nothing, and malformed sizes.
void require_own_operator(const OwnOperatorOptions& values);

// Runs the file's Python; warns about anything that the cases do not show.
dataset::benchmarks::OwnOperator read_own_operator(const OwnOperatorOptions& values,
                                                   const dataset::benchmarks::WorkerOptions& worker);

// `kgtrain tasks add`.
int run_tasks_add(int argc, const char* const* argv);

}  // namespace kg::cli
