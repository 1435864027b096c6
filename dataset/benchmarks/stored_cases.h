#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "dataset/benchmarks/worker_process.h"
#include "dataset/store/dataset.h"
#include "reward/benchmark_case.h"

namespace kg::dataset::benchmarks {

// The tensors of a case in the judge's form; takes over their bytes.
reward::BenchmarkCase benchmark_case_of(const proto::TaskCase& task_case, std::vector<proto::CaseTensor> tensors);

// The cases of imported tasks: from the data set, or, if they are too large to be stored, made again by the benchmark's
// own code from their seeds; these must have the hashes that the data set holds. Thread-safe.
class StoredCases {
 public:
  // options.checkout empty: the folder that the tasks were imported from, if it still exists.
  StoredCases(const Dataset& data, WorkerOptions options);
  reward::BenchmarkCase get(const proto::Task& task, int case_index);
  // The same task on other inputs. Nothing if the benchmark's code is not available, or cannot use the inputs.
  std::optional<reward::BenchmarkCase> other(const proto::Task& task, int case_index,
                                             const reward::OtherInputs& inputs);
  // Both of these, for the judge; must not outlive this object.
  reward::BenchmarkCases source();

 private:
  bool reference_is_at_hand(const proto::Task& task) const;
  void make_again(const proto::Task& task, int case_index, std::vector<proto::CaseTensor>& tensors);
  WorkerProcess& worker_of(const proto::Task& task, const std::string& where);

  const Dataset& data_;
  WorkerOptions options_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<WorkerProcess>> workers_;  // by suite
};

}  // namespace kg::dataset::benchmarks
