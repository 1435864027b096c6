#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/benchmarks/worker_process.h"
#include "proto/record.pb.h"
#include "reward/benchmark_case.h"

namespace kg::dataset::benchmarks {

// A file with a PyTorch module or function that the user wrote (docs/guide/own-operators.md), and how to make its
// cases.
struct OwnOptions {
  std::string file;
  WorkerOptions worker;             // `checkout` is not used
  std::string name;                 // name of the task; empty: the file's
  std::string operator_name;        // class or function in the file; empty: Model, or the only one
  std::string dtype;                // float, half, bfloat16; empty: the file's
  std::vector<std::string> shapes;  // a group of cases for each; none: the file's
  bool evaluation = false;          // evaluation mode, as after Module.eval()
  std::uint64_t most_bytes = 0;     // limit for the tensors of a case, beyond which its extents are scaled
  std::uint64_t ub_bytes = 0;       // tensors that overflow this still do so after scaling
  std::int64_t seed = 1;
  double seconds = 60;  // limit for one call of the operator
};

struct OwnOperator {
  proto::Task task;
  std::vector<proto::CaseTensor> tensors;  // inputs and fp64 results, with their bytes

  reward::BenchmarkCase get(int case_index) const;
};

// Runs the file's own Python with this user's rights. Throws Error with file, line and reason if it cannot be a task.
OwnOperator read_own_operator(const OwnOptions& options);

}  // namespace kg::dataset::benchmarks
