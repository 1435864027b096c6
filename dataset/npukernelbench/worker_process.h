#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"

namespace kg::dataset::npukernelbench {

// How to start worker.py.
struct WorkerOptions {
  fs::path checkout;
  // Interpreter with the packages of requirements.txt; empty: $KGTRAIN_PYTHON, else one made in $KGTRAIN_HOME at first
  // use.
  std::string python;
  std::string compiler = "clang++";
  bool quiet = false;  // drop what the benchmark's code prints
};

// worker.py as a child: it runs the benchmark's own Python and C++ outside any sandbox, with the rights of this user,
// so only checkouts that are trusted should be named. A child that dies is started again at the next request.
class WorkerProcess {
 public:
  explicit WorkerProcess(WorkerOptions options);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  struct Answer {
    nlohmann::json object;
    std::string error;  // not empty: why there is no answer
  };
  // Calls on_tensor(header, bytes) for each tensor of the answer, in order. Throws Error if the worker cannot be
  // started or the folder is no checkout.
  using OnTensor = std::function<void(const nlohmann::json& header, std::string&& bytes)>;
  Answer ask(const nlohmann::json& request, const OnTensor& on_tensor = {});

 private:
  void start();
  void stop();
  bool read_bytes(char* to, std::size_t count);  // false: the child ended
  bool read_frame(nlohmann::json& header, std::string& bytes);

  WorkerOptions options_;
  pid_t child_ = -1;
  int to_child_ = -1;
  int from_child_ = -1;
};

// The folder with worker.py: installed, or in the source tree.
fs::path script_folder();

}  // namespace kg::dataset::npukernelbench
