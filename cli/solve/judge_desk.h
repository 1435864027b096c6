#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "proto/task.pb.h"
#include "reward/judge.h"
#include "sandbox/sandbox.h"

namespace kg::cli {

// Judges kernels for one task in threads with a sandbox each, while the model goes on writing.
class JudgeDesk {
 public:
  struct Judged {
    std::uint64_t ticket = 0;
    proto::Verdict verdict;
  };

  // Keeps a reference to the task. A sandbox that fails is tried again; at last take() throws.
  JudgeDesk(const proto::Task& task, reward::JudgeOptions rules, sandbox::SandboxOptions sandbox, int jobs);
  ~JudgeDesk();  // what is being judged is finished, and lost

  std::uint64_t submit(std::string kernel);
  std::optional<Judged> take(double seconds);  // waits at most this long
  // All of these, judged at once, in their order. Nothing else may be at the desk.
  std::vector<proto::Verdict> judge_all(const std::vector<std::string>& kernels);

 private:
  struct Waiting {
    std::uint64_t ticket = 0;
    std::string kernel;
  };
  void serve();

  const proto::Task& task_;
  const reward::JudgeOptions rules_;
  const sandbox::SandboxOptions sandbox_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_ticket_ = 1;
  std::deque<Waiting> waiting_;
  std::deque<Judged> judged_;
  std::exception_ptr failure_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace kg::cli
