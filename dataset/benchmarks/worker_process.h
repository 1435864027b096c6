#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/child_process.h"
#include "base/file.h"
#include "dataset/benchmarks/suite.h"

namespace kg::dataset::benchmarks {

// How to start a suite's worker.py.
struct WorkerOptions {
  std::string checkout;  // the benchmark's folder
  // Interpreter with the packages of requirements.txt; empty: $KGTRAIN_PYTHON, else one made in $KGTRAIN_HOME on first
  // use.
  std::string python;
  std::string compiler = "clang++";
  bool quiet = false;  // drop what the benchmark's code prints
  // Own operators: the file's Python runs in a cell of the sandbox, within these limits, for one request.
  struct Cell {
    double seconds = 120;
    std::uint64_t memory_bytes = 4ull << 30;
  };
  std::optional<Cell> cell;
};

// The interpreter that the options name, or the one made on first use.
std::string python_of(const WorkerOptions& options);
// Does it exist already?
bool python_is_there(const WorkerOptions& options);

// worker.py as a child process: it runs the benchmark's own Python and C++ outside any sandbox, with the user's rights,
// so name only trusted checkouts. A child that dies is started again at the next request. Requests
// and answers are frames (docs/design/python-pipes.md).
class WorkerProcess {
 public:
  WorkerProcess(const Suite& suite, WorkerOptions options);

  struct Answer {
    nlohmann::json object;
    std::string error;  // not empty: why there is no answer
  };
  // Calls on_tensor(header, bytes) for each tensor of the answer, in order. Tensors larger than `most_held` bytes come
  // without their bytes, but with the header's "hash", their XXH3-64. Throws Error if the worker cannot be started or
  // the folder is not a checkout.
  using OnTensor = std::function<void(const nlohmann::json& header, std::string&& bytes)>;
  Answer ask(const nlohmann::json& request, const OnTensor& on_tensor = {}, std::uint64_t most_held = UINT64_MAX);

 private:
  void start();
  std::vector<std::string> words() const;
  bool read_answer(nlohmann::json& header, std::string& bytes, std::uint64_t most_held);  // false: the child ended

  const Suite& suite_;
  WorkerOptions options_;
  ChildProcess child_;
};

}  // namespace kg::dataset::benchmarks
