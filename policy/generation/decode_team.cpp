#include "policy/generation/decode_team.h"

#include <sched.h>

#include "base/check.h"

namespace kg::policy {
namespace {

constexpr int kChunkBits = 20;
constexpr std::uint64_t kChunkMask = (1u << kChunkBits) - 1;
constexpr int kSpins = 3000;  // some 50 us: the gap between two loops of a step

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

DecodeTeam::DecodeTeam(int threads) {
  KG_CHECK_GT(threads, 0);
  for (int t = 1; t < threads; ++t) workers_.emplace_back([this, t] { work(t); });
}

DecodeTeam::~DecodeTeam() {
  ending_ = true;
  ++loop_;
  loop_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void DecodeTeam::run(int chunks, const std::function<void(int, int)>& body) {
  if (chunks <= 0) return;
  if (chunks == 1 || workers_.empty()) {
    for (int chunk = 0; chunk < chunks; ++chunk) body(chunk, 0);
    return;
  }
  KG_CHECK_LT(static_cast<std::uint64_t>(chunks), kChunkMask / 2);
  body_ = &body;
  done_.store(0, std::memory_order_relaxed);
  const std::uint32_t loop = loop_.load(std::memory_order_relaxed) + 1;
  ticket_.store(std::uint64_t{loop & 0xffffff} << (2 * kChunkBits) | std::uint64_t(chunks) << kChunkBits,
                std::memory_order_release);
  loop_.store(loop, std::memory_order_release);
  loop_.notify_all();
  take_chunks(0);
  for (int spin = 0; done_.load(std::memory_order_acquire) < chunks; ++spin) {
    if (spin < kSpins)
      pause();
    else
      sched_yield();
  }
}

void DecodeTeam::take_chunks(int thread) {
  for (;;) {
    const std::uint64_t ticket = ticket_.fetch_add(1, std::memory_order_acq_rel);
    const std::uint64_t chunk = ticket & kChunkMask, chunks = ticket >> kChunkBits & kChunkMask;
    if (chunk >= chunks) return;
    (*body_)(static_cast<int>(chunk), thread);
    done_.fetch_add(1, std::memory_order_acq_rel);
  }
}

void DecodeTeam::work(int thread) {
  std::uint32_t seen = 0;
  for (;;) {
    for (int spin = 0; spin < kSpins && loop_.load(std::memory_order_acquire) == seen; ++spin) pause();
    loop_.wait(seen, std::memory_order_acquire);
    seen = loop_.load(std::memory_order_acquire);
    if (ending_) return;
    take_chunks(thread);
  }
}

}  // namespace kg::policy
