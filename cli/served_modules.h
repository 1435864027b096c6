#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <variant>

#include "dataset/benchmarks/own_operator.h"
#include "service/request.h"

namespace kg::cli {

// Operators made from clients' PyTorch modules, whose Python runs only in a cell of the sandbox. Results are kept by
// the module's content, since a trainer asks for the same module again and again. Thread-safe; a caller that needs a
// module that another thread is making waits for it.
class ServedModules {
 public:
  struct Options {
    std::string python;  // empty: modules are refused
    std::string why_not;
    dataset::benchmarks::WorkerOptions::Cell cell;
    std::uint64_t most_bytes = 16000000;   // limit for a case; larger ones are scaled
    std::uint64_t kept_bytes = 512 << 20;  // limit for all kept results together
  };
  using Made = std::shared_ptr<const dataset::benchmarks::OwnOperator>;

  explicit ServedModules(Options options) : options_(std::move(options)) {}

  // Throws Refusal (422) with reason and line for a malformed module; Error if the host is at fault.
  Made get(const service::JudgeRequest& request);

 private:
  struct Kept {
    std::variant<std::monostate, Made, service::Refusal> what;  // monostate: it is being made
    std::uint64_t bytes = 0;
  };
  Made make(const service::JudgeRequest& request) const;
  void keep(const std::string& key, std::variant<std::monostate, Made, service::Refusal> what, std::uint64_t bytes);

  const Options options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Kept> kept_;
  std::deque<std::string> oldest_;  // finished ones, oldest first
  std::uint64_t bytes_ = 0;
};

}  // namespace kg::cli
