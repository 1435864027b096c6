#include "dataset/synthesis/judging_pool.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "base/error.h"
#include "reward/judge.h"

namespace kg::dataset {
namespace {

constexpr std::size_t kAhead = 256;  // verdicts that may wait for a slow one before them

struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t next = 0;       // job to start
  std::size_t delivered = 0;  // jobs handed to `done`
  std::vector<std::optional<proto::Verdict>> verdicts;
  std::exception_ptr failure;
  bool stop = false;
};

proto::Verdict judge_one(sandbox::Sandbox& sandbox, const JudgingJob& job) {
  const proto::Task task = job.task();
  const reward::JudgeOptions options{.reward = reward::reward_preset("staged"), .second_look = false};  // our own
  return reward::judge_surely(sandbox, task, job.kernel, options);
}

void work(Shared& shared, const std::vector<JudgingJob>& jobs, const sandbox::SandboxOptions& options) {
  try {
    const auto sandbox = sandbox::start_sandbox(options);
    for (;;) {
      std::size_t index = 0;
      {
        std::unique_lock lock(shared.mutex);
        shared.changed.wait(
            lock, [&] { return shared.stop || shared.next >= jobs.size() || shared.next < shared.delivered + kAhead; });
        if (shared.stop || shared.next >= jobs.size()) return;
        index = shared.next++;
      }
      proto::Verdict verdict = judge_one(*sandbox, jobs[index]);
      const std::lock_guard lock(shared.mutex);
      shared.verdicts[index] = std::move(verdict);
      shared.changed.notify_all();
    }
  } catch (...) {
    const std::lock_guard lock(shared.mutex);
    if (!shared.failure) shared.failure = std::current_exception();
    shared.stop = true;
    shared.changed.notify_all();
  }
}

// Ends the threads whatever happens in the calling one.
struct Crew {
  Shared& shared;
  std::vector<std::jthread> threads;
  ~Crew() {
    const std::lock_guard lock(shared.mutex);
    shared.stop = true;
    shared.changed.notify_all();
  }
};

}  // namespace

void judge_all(const std::vector<JudgingJob>& jobs, int sandboxes, const sandbox::SandboxOptions& options,
               const std::function<void(std::size_t, const proto::Verdict&)>& done) {
  Shared shared;
  shared.verdicts.resize(jobs.size());
  Crew crew{.shared = shared};
  const std::size_t count = std::min(jobs.size(), static_cast<std::size_t>(std::max(1, sandboxes)));
  for (std::size_t i = 0; i < count; ++i) crew.threads.emplace_back([&] { work(shared, jobs, options); });
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    proto::Verdict verdict;
    {
      std::unique_lock lock(shared.mutex);
      shared.changed.wait(lock, [&] { return shared.failure || shared.verdicts[i]; });
      if (!shared.verdicts[i]) std::rethrow_exception(shared.failure);
      verdict = std::move(*shared.verdicts[i]);
      shared.verdicts[i].reset();
    }
    done(i, verdict);
    const std::lock_guard lock(shared.mutex);
    shared.delivered = i + 1;
    shared.changed.notify_all();
  }
}

}  // namespace kg::dataset
