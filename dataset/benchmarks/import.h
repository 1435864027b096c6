#pragma once

#include <string>
#include <vector>

#include "dataset/benchmarks/worker_process.h"
#include "dataset/store/dataset.h"
#include "dataset/store/id_filter.h"

namespace kg::dataset::benchmarks {

struct ImportOptions {
  std::string suite;
  WorkerOptions worker;
  fs::path out;
  IdFilter only;                       // only these tasks
  std::uint64_t keep_bytes = 1 << 20;  // inputs of a case up to here are kept, and outputs; others are made again
  std::uint64_t most_bytes = 0;        // a case with more inputs is left out; 0: none is
  std::uint64_t scale_bytes = 0;       // multikernelbench: tasks with larger tensors get smaller extents; 0: none does
  std::uint64_t ub_bytes = 0;          // what overflows them does so when scaled, too
  double most_seconds = 4;             // multikernelbench: what takes the reference longer is made when it is wanted
};

struct LeftOut {
  std::string what;  // task, or task:case
  std::string why;
};

struct ImportSummary {
  std::size_t tasks = 0, tasks_there = 0, tasks_wanted = 0;  // now taken, taken before, in the checkout
  std::size_t cases = 0, cases_kept = 0,
              cases_wanted = 0;  // of these tasks: in the data set, with their tensors in it, rows
  std::uint64_t bytes_kept = 0, bytes_seen = 0;
  std::vector<LeftOut> left_out;
};

// Reads the tasks of a checkout into the data set `out`. A task counts once all its cases stand in the data set, so an
// import that was stopped goes on with the first task that does not.
ImportSummary import_checkout(const ImportOptions& options);

}  // namespace kg::dataset::benchmarks
