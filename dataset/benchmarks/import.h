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
  std::uint64_t keep_bytes = 1 << 20;  // keep a case's inputs, and outputs, up to this size; make larger ones again
  std::uint64_t most_bytes = 0;        // leave out cases with more input bytes; 0: leave out none
  std::uint64_t scale_bytes = 0;       // multikernelbench: shrink tasks with larger tensors; 0: shrink none
  std::uint64_t ub_bytes = 0;          // tensors that overflow this still do so after scaling
  double most_seconds = 4;             // multikernelbench: outputs that take longer are made when they are needed
};

struct LeftOut {
  std::string what;  // task, or task:case
  std::string why;
};

struct ImportSummary {
  std::size_t tasks = 0, tasks_there = 0, tasks_wanted = 0;  // imported now, imported before, in the checkout
  std::size_t cases = 0, cases_kept = 0,
              cases_wanted = 0;  // cases of these tasks: in the data set, with stored tensors, rows
  std::uint64_t bytes_kept = 0, bytes_seen = 0;
  std::vector<LeftOut> left_out;
};

// Reads the tasks of a checkout into the data set `out`. A task counts once all its cases are in the data set, so an
// interrupted import continues with the first task that does not.
ImportSummary import_checkout(const ImportOptions& options);

}  // namespace kg::dataset::benchmarks
