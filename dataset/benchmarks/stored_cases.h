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

// The tensors of a case as the judge takes them; takes their bytes.
reward::BenchmarkCase benchmark_case_of(const proto::TaskCase& task_case, std::vector<proto::CaseTensor> tensors);

// The cases of imported tasks: from the data set, or made again by the benchmark's own code from their seeds where they
// are too large to be kept; what is made must have the hashes that the data set holds. Thread-safe.
class StoredCases {
 public:
  // options.checkout empty: the folder that the tasks were imported from, if it is still there.
  StoredCases(const Dataset& data, WorkerOptions options);
  reward::BenchmarkCase get(const proto::Task& task, int case_index);
  // The same task on other inputs. Nothing where the benchmark's own code is not at hand, or cannot take the inputs.
  std::optional<reward::BenchmarkCase> other(const proto::Task& task, int case_index,
                                             const reward::OtherInputs& inputs);
  // Both, for the judge; lives no longer than this object.
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
