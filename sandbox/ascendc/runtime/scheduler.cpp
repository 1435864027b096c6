#include "sandbox/ascendc/runtime/scheduler.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/random.h"
#include "sandbox/ascendc/runtime/cost_table.h"

namespace kg::sandbox::ascendc {
namespace {

constexpr std::size_t kStackBytes = 512 * 1024, kGuardBytes = 64 * 1024;

class Stack {
 public:
  Stack()
      : base_(mmap(nullptr, kStackBytes + kGuardBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (base_ == MAP_FAILED || mprotect(base_, kGuardBytes, PROT_NONE) != 0)
      throw Error("cannot map a stack for a core", "emulated device", "raise the memory limit of the run",
                  Error::Kind::kEnvironment);
  }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  ~Stack() { munmap(base_, kStackBytes + kGuardBytes); }
  void* start() { return static_cast<char*>(base_) + kGuardBytes; }

 private:
  void* base_;
};

struct Fiber {
  std::unique_ptr<Core> core;
  std::unique_ptr<Stack> stack;
  ucontext_t context;
  bool waits = false;  // in SyncAll
};

// One launch at a time in a process; the trap handler needs it global.
struct Scheduler {
  ucontext_t home;
  Fiber* running = nullptr;
  bool failed = false;
  int signal = 0;
  const kgnpu::Entry* entry = nullptr;
  const std::vector<std::uint64_t>* arguments = nullptr;
};
Scheduler* scheduler = nullptr;

void run_kernel() {
  scheduler->entry->call(scheduler->arguments->data());
  Fiber* self = scheduler->running;
  self->core->cache.clean_all(*self->core);
  self->core->pipes.barrier(kAllPipes);
  scheduler->running = nullptr;  // ended
  setcontext(&scheduler->home);
}

void on_trap(int signal) {
  if (scheduler == nullptr || scheduler->running == nullptr) {
    ::signal(signal, SIG_DFL);
    raise(signal);
    return;
  }
  scheduler->signal = signal;
  scheduler->failed = true;
  setcontext(&scheduler->home);
}

// Catches what a kernel's own machine code does wrong, on a stack of its own, while cores run.
class TrapGuard {
 public:
  TrapGuard() : stack_(64 * 1024) {
    stack_t alternative{};
    alternative.ss_sp = stack_.data();
    alternative.ss_size = stack_.size();
    sigaltstack(&alternative, &old_stack_);
    struct sigaction action{};
    action.sa_handler = on_trap;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    for (std::size_t i = 0; i < 4; ++i) sigaction(kSignals[i], &action, &old_[i]);
  }
  TrapGuard(const TrapGuard&) = delete;
  TrapGuard& operator=(const TrapGuard&) = delete;
  ~TrapGuard() {
    for (std::size_t i = 0; i < 4; ++i) sigaction(kSignals[i], &old_[i], nullptr);
    sigaltstack(&old_stack_, nullptr);
  }

 private:
  static constexpr int kSignals[4] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  std::vector<char> stack_;
  stack_t old_stack_{};
  struct sigaction old_[4];
};

const char* trap_reason(int signal) {
  switch (signal) {
    case SIGFPE:
      return "an integer division by zero";
    case SIGILL:
      return "an instruction that traps (unreachable code, or a missing return)";
    default:
      return "an access through a pointer outside its memory, or a stack overflow";
  }
}

// Of cores that have ended, for the next ones; InitBuffer clears what it gives out.
struct Pools {
  std::vector<std::unique_ptr<Stack>> stacks;
  std::vector<std::unique_ptr<UnifiedBuffer>> buffers;
};

void warn_leftovers(Core& core) {
  for (const Buffer& buffer : core.buffers)
    if (buffer.queue != 0 && !buffer.is_plain && buffer.state != Buffer::State::kFree) {
      core.line = buffer.line;
      core.warning("queue", buffer.state == Buffer::State::kQueued
                                ? "a tensor still waits in its queue at the end; DeQue and FreeTensor it"
                                : "a tensor is never given back; FreeTensor it");
    }
  for (const auto& [key, flag] : core.flags) {
    core.line = 0;
    core.warning("synchronisation", std::string("SetFlag<HardEvent::") + pipe_name(key >> 16) + "_" +
                                        pipe_name(key >> 8 & 0xFF) + "> with id " + std::to_string(key & 0xFF) +
                                        " has no WaitFlag at the end of the kernel");
  }
}

void prepare(Fiber& fiber) {
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack->start();
  fiber.context.uc_stack.ss_size = kStackBytes;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, run_kernel, 0);
}

}  // namespace

Core& core() { return *scheduler->running->core; }

void end_kernel() {
  scheduler->failed = true;
  setcontext(&scheduler->home);
  std::abort();
}

void wait_for_all_cores() {
  Fiber* self = scheduler->running;
  self->waits = true;
  swapcontext(&self->context, &scheduler->home);
}

Outcome run_cores(Device& device, const kgnpu::Entry& entry, const std::vector<std::uint64_t>& arguments,
                  std::uint64_t seed) {
  std::vector<int> order(device.block_dim);
  std::iota(order.begin(), order.end(), 0);
  if (seed != 0) {
    Philox random(seed, /*stream=*/0);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.next_below(i)]);
  }
  Scheduler state;
  state.entry = &entry;
  state.arguments = &arguments;
  scheduler = &state;
  const TrapGuard guard;
  Pools pools;
  std::vector<std::unique_ptr<Fiber>> waiting;
  std::vector<double> free_at(cost::kCores, 0.0);  // when each physical core is free for the next wave
  Outcome outcome;

  // Runs a fiber until it ends (true), waits (false), or the launch fails.
  const auto resume = [&](Fiber& fiber) {
    state.running = &fiber;
    swapcontext(&state.home, &fiber.context);
    const bool ended = !state.failed && state.running == nullptr;
    if (state.signal != 0) {
      Core& core = *fiber.core;
      const std::string after = core.line > 0 ? " after the call in line " + std::to_string(core.line) : "";
      core.error("trap", std::string("the kernel was stopped by ") + trap_reason(state.signal) + after);
    }
    state.running = nullptr;
    return ended;
  };
  const auto finish = [&](Fiber& fiber) {
    const double time = fiber.core->pipes.finish();
    outcome.cycles = std::max(outcome.cycles, time);
    *std::min_element(free_at.begin(), free_at.end()) = time;
    warn_leftovers(*fiber.core);
    pools.stacks.push_back(std::move(fiber.stack));
    if (fiber.core->ub) pools.buffers.push_back(std::move(fiber.core->ub));
  };

  for (std::size_t i = 0; i < order.size() && !state.failed; ++i) {
    auto fiber = std::make_unique<Fiber>();
    fiber->core = std::make_unique<Core>(device);
    fiber->core->index = order[i];
    fiber->core->number = order[i];
    fiber->core->pipes.start_at(*std::min_element(free_at.begin(), free_at.end()));
    const auto take = [](auto& pool) {
      auto item = std::move(pool.back());
      pool.pop_back();
      return item;
    };
    fiber->stack = pools.stacks.empty() ? std::make_unique<Stack>() : take(pools.stacks);
    if (!pools.buffers.empty()) fiber->core->ub = take(pools.buffers);
    prepare(*fiber);
    if (resume(*fiber))
      finish(*fiber);
    else if (!state.failed)
      waiting.push_back(std::move(fiber));
  }

  while (!waiting.empty() && !state.failed) {
    if (waiting.size() < device.block_dim || device.block_dim > static_cast<std::uint32_t>(cost::kCores)) {
      Core& core = *waiting.front()->core;
      core.error("synchronisation",
                 device.block_dim > static_cast<std::uint32_t>(cost::kCores)
                     ? "SyncAll with more blocks than cores never ends; launch at most 48 blocks"
                     : "SyncAll waits for ever: " + std::to_string(device.block_dim - waiting.size()) +
                           " of the cores ended without reaching it; call it on every core");
      state.failed = true;
      break;
    }
    double last = 0;
    for (const auto& fiber : waiting) last = std::max(last, fiber->core->pipes.finish());
    last = device.traffic.end_phase(last);
    Clock together;  // what every core knows afterwards
    for (const auto& fiber : waiting) together.join(fiber->core->pipes.publish(kS, fiber->core->number));
    for (const auto& fiber : waiting) fiber->core->pipes.wait(kS, together);
    device.memory.forget_accesses();
    device.caches.before.clear();
    std::vector<std::unique_ptr<Fiber>> released = std::move(waiting);
    waiting.clear();
    for (auto& fiber : released) {
      if (state.failed) break;
      fiber->waits = false;
      fiber->core->pipes.start_at(last + cost::kSyncAll);
      if (resume(*fiber))
        finish(*fiber);
      else if (!state.failed)
        waiting.push_back(std::move(fiber));
    }
  }
  scheduler = nullptr;
  outcome.cycles = device.traffic.end_phase(outcome.cycles);
  outcome.ended = !state.failed;
  return outcome;
}

}  // namespace kg::sandbox::ascendc
