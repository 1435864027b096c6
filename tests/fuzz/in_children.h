#pragma once

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

// Tries things by the hundred thousand, a batch in each child process: one that kills its process, or takes longer than
// 20 s, is named by its seed and the rest goes on.

namespace kg::npu::testing {

inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Runs attempt(seed) for `count` seeds from `first` on; how many ended badly.
template <typename Attempt>
std::uint64_t try_in_children(std::uint64_t first, std::uint64_t count, Attempt attempt) {
  constexpr std::uint64_t kBatch = 500, kReport = 50000;
  auto* const at = static_cast<std::uint64_t*>(
      mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::uint64_t bad = 0, next_report = kReport;
  const std::uint64_t end = first + count;
  for (std::uint64_t from = first; from < end;) {
    const std::uint64_t last = std::min(from + kBatch, end);
    *at = from;
    const pid_t child = fork();
    if (child == 0) {
      if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(1);
      for (; *at < last; ++*at) {
        alarm(20);
        attempt(*at);
      }
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    from = last;
    if (status != 0) {
      ++bad;
      from = *at + 1;
      std::printf("seed %llu ended with %s %d\n", static_cast<unsigned long long>(*at),
                  WIFSIGNALED(status) ? "signal" : "status",
                  WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    if (from - first >= next_report || from == end) {
      std::printf("%llu tried, %llu ended badly\n", static_cast<unsigned long long>(from - first),
                  static_cast<unsigned long long>(bad));
      next_report += kReport;
    }
    std::fflush(stdout);
  }
  munmap(at, sizeof(std::uint64_t));
  return bad;
}

}  // namespace kg::npu::testing
