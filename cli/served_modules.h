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

// Operators made of requesters' PyTorch modules, whose Python runs in a cell of the sandbox and nowhere else. What was
// made is kept by its content, since a trainer asks for the same module again and again. Thread-safe; who asks for what
// another thread is making waits for it.
class ServedModules {
 public:
  struct Options {
    std::string python;  // empty: modules are refused
    std::string why_not;
    dataset::benchmarks::WorkerOptions::Cell cell;
    std::uint64_t most_bytes = 16000000;   // of a case; larger ones are scaled
    std::uint64_t kept_bytes = 512 << 20;  // of all that is kept
  };
  using Made = std::shared_ptr<const dataset::benchmarks::OwnOperator>;

  explicit ServedModules(Options options) : options_(std::move(options)) {}

  // Throws Refusal (422) with the reason and the line for a module that is none; Error where the host is at fault.
  Made get(const service::JudgeRequest& request);

 private:
  struct Kept {
    std::variant<std::monostate, Made, service::Refusal> what;  // nothing yet: it is being made
    std::uint64_t bytes = 0;
  };
  Made make(const service::JudgeRequest& request) const;
  void keep(const std::string& key, std::variant<std::monostate, Made, service::Refusal> what, std::uint64_t bytes);

  const Options options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Kept> kept_;
  std::deque<std::string> oldest_;  // of those made
  std::uint64_t bytes_ = 0;
};

}  // namespace kg::cli
