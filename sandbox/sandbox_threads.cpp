#include "sandbox/sandbox_threads.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace kg::sandbox {

int sandbox_count(int jobs) {
  return jobs > 0 ? jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

void for_each_in_sandboxes(std::size_t count, int jobs, const SandboxOptions& options,
                           const std::function<void(Sandbox&, std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&] {
    try {
      std::unique_ptr<Sandbox> sandbox;
      while (!failed) {
        const std::size_t i = next++;
        if (i >= count) return;
        if (!sandbox) sandbox = start_sandbox(options);
        work(*sandbox, i);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      failed = true;
    }
  };
  {
    std::vector<std::jthread> threads;
    const std::size_t most = std::min(count, static_cast<std::size_t>(sandbox_count(jobs)));
    for (std::size_t i = 0; i < most; ++i) threads.emplace_back(run);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace kg::sandbox
