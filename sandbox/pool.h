#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "sandbox/sandbox.h"

namespace kg::sandbox {

// `jobs`, or the number of cores if it is 0.
int sandbox_count(int jobs);

// Makes results number `first`, `first` + 1, ... in threads with a sandbox each, and returns them in that order.
template <typename Result>
class OrderedPool {
 public:
  struct Options {
    std::uint64_t first = 0, end = std::numeric_limits<std::uint64_t>::max();  // the results to make: [first, end)
    std::uint64_t ahead = 64;  // results that may wait for a slow one before them
    int jobs = 0;              // number of sandboxes; 0: one for each core
    SandboxOptions sandbox;
  };
  using Make = std::function<Result(Sandbox&, std::uint64_t index)>;

  OrderedPool(const Options& options, Make make)
      : options_(options), make_(std::move(make)), next_(options.first), wanted_(options.first) {
    const auto most = std::min(static_cast<std::uint64_t>(sandbox_count(options_.jobs)), options_.end - options_.first);
    for (std::uint64_t i = 0; i < most; ++i) threads_.emplace_back([this] { work(); });
  }
  ~OrderedPool() { stop(); }  // work that has begun is finished, and its result lost

  // The next result. Throws what `make` or the start of a sandbox threw, once all earlier results are taken. At most
  // end - first calls.
  Result take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failure_ || made_.contains(wanted_); });
    const auto found = made_.find(wanted_);
    if (found == made_.end()) std::rethrow_exception(failure_);
    Result result = std::move(found->second);
    made_.erase(found);
    ++wanted_;
    changed_.notify_all();
    return result;
  }

 private:
  void work() {
    try {
      std::unique_ptr<Sandbox> sandbox;
      for (;;) {
        std::uint64_t index = 0;
        {
          std::unique_lock lock(mutex_);
          changed_.wait(lock, [&] { return stop_ || next_ >= options_.end || next_ - wanted_ < options_.ahead; });
          if (stop_ || next_ >= options_.end) return;
          index = next_++;
        }
        if (!sandbox) sandbox = start_sandbox(options_.sandbox);
        Result result = make_(*sandbox, index);
        const std::lock_guard lock(mutex_);
        made_.emplace(index, std::move(result));
        changed_.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      stop_ = true;
      changed_.notify_all();
    }
  }

  void stop() {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }

  const Options options_;
  const Make make_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_, wanted_;  // the next one to make, the next one to return
  std::map<std::uint64_t, Result> made_;
  std::exception_ptr failure_;
  bool stop_ = false;
  std::vector<std::jthread> threads_;  // last: they end before the other members are destroyed
};

// Calls work(sandbox, i) once for each i below `count`, from up to sandbox_count(jobs) threads with a sandbox each,
// lowest i first. If `work` or the start of a sandbox throws, the others stop after their current item, and the
// exception is thrown from here.
void for_each_in_sandboxes(std::size_t count, int jobs, const SandboxOptions& options,
                           const std::function<void(Sandbox&, std::size_t)>& work);

}  // namespace kg::sandbox
