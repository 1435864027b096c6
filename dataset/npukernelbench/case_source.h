#pragma once

#include <memory>
#include <mutex>

#include "dataset/dataset.h"
#include "dataset/npukernelbench/worker_process.h"
#include "reward/benchmark_case.h"

namespace kg::dataset::npukernelbench {

// The cases of imported tasks: from the data set, or made again by the benchmark's own code from their seeds where they
// are too large to be kept; what is made must have the hashes that the data set holds. Thread-safe.
class CaseSource {
 public:
  // options.checkout empty: the folder that the tasks were imported from, if it is still there.
  CaseSource(const Dataset& data, WorkerOptions options);
  reward::BenchmarkCase get(const proto::Task& task, int case_index);

 private:
  void make_again(const proto::Task& task, int case_index, std::vector<proto::CaseTensor>& tensors);

  const Dataset& data_;
  WorkerOptions options_;
  std::mutex mutex_;
  std::unique_ptr<WorkerProcess> worker_;
};

}  // namespace kg::dataset::npukernelbench
