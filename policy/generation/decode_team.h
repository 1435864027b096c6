#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace kg::policy {

// Threads that share the chunks of one loop after another. OpenMP's loops end at a barrier that every thread must
// reach: on a host whose cores also judge kernels, each of the hundreds of barriers of a step then waits for a
// descheduled thread, and a step that takes 50 ms takes a second. Here a descheduled thread simply
// does not take a chunk; the others do its share.
class DecodeTeam {
 public:
  explicit DecodeTeam(int threads);
  ~DecodeTeam();
  DecodeTeam(const DecodeTeam&) = delete;
  DecodeTeam& operator=(const DecodeTeam&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }
  // body(chunk, thread) for each chunk in [0, chunks), on this thread and the others; returns when all are done.
  void run(int chunks, const std::function<void(int chunk, int thread)>& body);

 private:
  void work(int thread);
  void take_chunks(int thread);

  // The ticket holds the loop's number, its chunk count and the next chunk to take, so that no chunk of an ended loop
  // can be taken: a chunk number below the count proves that the loop is still running and that body_ is its
  // body.
  std::atomic<std::uint64_t> ticket_{0};
  std::atomic<std::uint32_t> loop_{0};
  std::atomic<int> done_{0};
  std::atomic<bool> ending_{false};
  const std::function<void(int, int)>* body_ = nullptr;
  std::vector<std::thread> workers_;
};

}  // namespace kg::policy
