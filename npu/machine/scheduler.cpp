#include "npu/machine/scheduler.h"

#include <ucontext.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/check.h"
#include "base/random.h"
#include "npu/chip.h"
#include "npu/machine/core_stack.h"
#include "npu/machine/outside.h"
#include "npu/scalar/machine.h"

namespace kg::npu {
namespace {

constexpr std::size_t kMostArguments = 64 * 1024;  // bytes

struct Fiber {
  std::unique_ptr<Core> core;
  std::unique_ptr<CoreStack> host_stack;
  std::unique_ptr<scalar::Stack> stack;
  std::optional<scalar::Machine> scalar_unit;
  ucontext_t context;
  Wait wait;
  std::size_t place = 0;  // on the chip
  bool ended = false;
};

// One launch at a time in a process.
struct Scheduler {
  ucontext_t home;
  Fiber* running = nullptr;
  bool failed = false;
  const Program* program = nullptr;
  const std::string* arguments = nullptr;
  CoreOutside outside{/*has_tags=*/true};
};
Scheduler* scheduler = nullptr;

const Program::Half& half_of(const Core& core) {
  const Program& program = *scheduler->program;
  return core.kind == CoreKind::kCube && program.cube.image != nullptr ? program.cube : program.vector;
}

void run_kernel() {
  Fiber* self = scheduler->running;
  self->scalar_unit->run(half_of(*self->core).entry, *scheduler->arguments);
  self->core->cache.end_of_kernel(*self->core);
  self->core->pipes.barrier(kAllPipes);
  self->core->limit_time(self->core->pipes.finish());
  self->core->device->races.settle(*self->core);
  scheduler->running = nullptr;  // ended
  setcontext(&scheduler->home);
}

// Resets cores that have ended for the next ones, which find them as new.
struct Pools {
  std::vector<std::unique_ptr<CoreStack>> host_stacks;
  std::vector<std::unique_ptr<scalar::Stack>> stacks;
  std::vector<std::unique_ptr<UnifiedBuffer>> buffers;
  std::vector<decltype(Core::cube_memories)> cube_memories;
};

void warn_leftovers(Core& core) {
  for (const Buffer& buffer : core.buffers)
    if (buffer.queue != 0 && !buffer.is_plain && buffer.state != Buffer::State::kFree) {
      core.line = buffer.line;
      core.warning(FaultClass::kQueue, buffer.state == Buffer::State::kQueued
                                           ? "a tensor still waits in its queue at the end; DeQue and FreeTensor it"
                                           : "a tensor is never given back; FreeTensor it");
    }
  for (const auto& [key, flag] : core.flags) {
    core.line = 0;
    core.warning(FaultClass::kSynchronisation, "SetFlag<HardEvent::", pipe_name(key >> 16), "_",
                 pipe_name(key >> 8 & 0xFF), "> with id ", key & 0xFF, " has no WaitFlag at the end of the kernel");
  }
  if (core.atomic_mode != 0) {
    static constexpr const char* kModes[] = {"", "Add", "Max", "Min"};
    core.line = 0;
    core.warning(FaultClass::kSynchronisation, "SetAtomic", kModes[core.atomic_mode],
                 " is still on at the end of the kernel; call SetAtomicNone after the last copy that needs it");
  }
}

void prepare(Fiber& fiber) {
  getcontext(&fiber.context);
  fiber.stack->poison(fiber.core->device->poison);
  fiber.scalar_unit.emplace(*half_of(*fiber.core).image, *fiber.stack, scheduler->outside);
  if (const std::uint64_t jumps = fiber.core->device->jump_limit; jumps != 0) fiber.scalar_unit->set_budget(jumps);
  fiber.host_stack->renew();
  fiber.context.uc_stack.ss_sp = fiber.host_stack->begin();
  fiber.context.uc_stack.ss_size = CoreStack::kBytes;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, run_kernel, 0);
}

void pay_scalar_work(Fiber& fiber) {
  if (const std::uint64_t work = fiber.scalar_unit->take_work())
    fiber.core->pipes.spend_scalar(chip::kScalarStep * static_cast<double>(work));
}

}  // namespace

Core& core() {
  KG_CHECK(scheduler != nullptr && scheduler->running != nullptr);
  pay_scalar_work(*scheduler->running);
  return *scheduler->running->core;
}
Core& core_at(int line) {
  Core& self = core();
  self.line = line;
  return self;
}

void end_kernel() {
  scheduler->failed = true;
  setcontext(&scheduler->home);
  std::abort();
}

void wait_until(const Wait& wait) {
  KG_CHECK(wait.what != Wait::For::kNothing);
  Fiber* self = scheduler->running;
  self->wait = wait;
  swapcontext(&self->context, &scheduler->home);
}

namespace {

std::string name_of(const Core& core, const TaskLayout& layout) {
  if (layout.cubes == 0 || layout.vectors == 0) return "core " + std::to_string(core.index);
  return message_of((core.kind == CoreKind::kCube ? "the cube core of group " : "a vector core of group "), core.block);
}

// One launch: which blocks run, which ones wait, and when each place of the chip is free again.
class Launcher {
 public:
  Launcher(Device& device, const Program& program, std::vector<int> order, Philox* random)
      : device_(device),
        program_(program),
        layout_(program.layout),
        order_(std::move(order)),
        random_(random),
        free_at_(static_cast<std::size_t>(layout_.places), 0.0),
        busy_(free_at_.size(), 0) {}

  Outcome run() {
    for (;;) {
      bool moved = start_blocks();
      for (std::size_t i = 0; i < active_.size() && !failed(); ++i)
        if (ready(*active_[i])) {
          active_[i]->wait = {};
          resume(*active_[i]);
          moved = true;
        }
      if (failed()) break;
      std::erase_if(active_, [](const auto& fiber) { return fiber->ended; });
      moved = release_barriers() || moved;
      if (active_.empty() && next_ == order_.size()) break;
      if (!moved) {
        report_deadlock();
        break;
      }
    }
    outcome_.ended = !failed();
    if (outcome_.ended) check_all_places_free();
    outcome_.cycles = device_.traffic.end_phase(outcome_.cycles);
    if (outcome_.ended) warn_flags();
    return outcome_;
  }

 private:
  static bool failed() { return scheduler->failed; }

  void check_all_places_free() const {
    KG_CHECK(active_.empty());
    KG_CHECK_EQ(next_, order_.size());
    for (const int cores : busy_) KG_CHECK_EQ(cores, 0);
  }

  // Puts blocks on free places, the one that was free first; they run until they wait or end.
  bool start_blocks() {
    bool started = false;
    while (next_ < order_.size() && !failed()) {
      std::size_t place = free_at_.size();
      for (std::size_t i = 0; i < free_at_.size(); ++i)
        if (busy_[i] == 0 && (place == free_at_.size() || free_at_[i] < free_at_[place])) place = i;
      if (place == free_at_.size()) break;
      start(order_[next_++], place);
      started = true;
    }
    return started;
  }

  void start(int block, std::size_t place) {
    std::vector<int> lanes(static_cast<std::size_t>(layout_.cores()));
    std::iota(lanes.begin(), lanes.end(), 0);
    if (random_ != nullptr)
      for (std::size_t i = lanes.size(); i > 1; --i) std::swap(lanes[i - 1], lanes[random_->next_below(i)]);
    KG_CHECK_LT(place, busy_.size());
    KG_CHECK_EQ(busy_[place], 0);
    busy_[place] = layout_.cores();
    const double time = free_at_[place];
    for (const int lane : lanes) {
      if (failed()) return;
      auto fiber = std::make_unique<Fiber>();
      fiber->place = place;
      fiber->core = std::make_unique<Core>(device_);
      Core& core = *fiber->core;
      core.kind = lane < layout_.cubes ? CoreKind::kCube : CoreKind::kVector;
      core.block = block;
      core.sub_block = core.kind == CoreKind::kCube ? 0 : lane - layout_.cubes;
      core.index = core.kind == CoreKind::kCube ? block : block * layout_.vectors + core.sub_block;
      core.number = device_.cross_core->number_of(block, lane);
      KG_CHECK_LT(core.number, device_.cross_core->cores());
      core.pipes.start_at(time);
      take_or_make(pools_.host_stacks, fiber->host_stack);
      take_or_make(pools_.stacks, fiber->stack);
      if (core.kind == CoreKind::kCube)
        take(pools_.cube_memories, core.cube_memories);
      else
        take(pools_.buffers, core.ub);
      renew_memories(core);
      prepare(*fiber);
      resume(*fiber);
      if (!failed() && !fiber->ended) active_.push_back(std::move(fiber));
    }
  }

  template <typename T>
  static void take(std::vector<T>& pool, T& to) {
    if (pool.empty()) return;
    to = std::move(pool.back());
    pool.pop_back();
  }

  template <typename T>
  static void take_or_make(std::vector<std::unique_ptr<T>>& pool, std::unique_ptr<T>& to) {
    take(pool, to);
    if (!to) to = std::make_unique<T>();
  }

  static void renew_memories(Core& core) {
    if (core.ub) core.ub->renew(core.device->poison);
    for (const auto& memory : core.cube_memories)
      if (memory) memory->renew(core.device->poison);
  }

  // Until it ends, waits, or the launch fails.
  void resume(Fiber& fiber) {
    KG_CHECK(!fiber.ended && fiber.scalar_unit);
    KG_CHECK(scheduler->running == nullptr && fiber.wait.what == Wait::For::kNothing);
    scheduler->running = &fiber;
    device_.memory.use_constants_of(half_of(*fiber.core).image);
    swapcontext(&scheduler->home, &fiber.context);
    pay_scalar_work(fiber);
    fiber.ended = !failed() && scheduler->running == nullptr;
    scheduler->running = nullptr;
    KG_CHECK(failed() || fiber.ended || fiber.wait.what != Wait::For::kNothing);
    if (!fiber.ended) return;
    const double time = fiber.core->pipes.finish();
    outcome_.cycles = std::max(outcome_.cycles, time);
    if (device_.counts.wanted()) device_.counts.core_ended(fiber.core->number, time);
    free_at_[fiber.place] = std::max(free_at_[fiber.place], time);
    --busy_[fiber.place];
    KG_CHECK_GE(busy_[fiber.place], 0);
    warn_leftovers(*fiber.core);
    pools_.host_stacks.push_back(std::move(fiber.host_stack));
    pools_.stacks.push_back(std::move(fiber.stack));
    if (fiber.core->kind == CoreKind::kCube) pools_.cube_memories.push_back(std::move(fiber.core->cube_memories));
    if (fiber.core->ub) pools_.buffers.push_back(std::move(fiber.core->ub));
  }

  bool ready(const Fiber& fiber) const {
    if (fiber.wait.what == Wait::For::kSignal) return device_.cross_core->ready(fiber.wait.signal);
    if (fiber.wait.what == Wait::For::kProduct) return fiber.wait.product->done;
    if (fiber.wait.what == Wait::For::kProducts)
      return !device_.matmul_posts[fiber.core->block].empty() || busy_[fiber.place] <= layout_.cubes;
    return fiber.wait.what == Wait::For::kFlag && device_.cross_core->ready(fiber.core->number, fiber.wait.flag);
  }

  static bool same_barrier(const Fiber& a, const Fiber& b) {
    return a.wait.what == b.wait.what && (a.wait.what == Wait::For::kAllCores || a.core->kind == b.core->kind);
  }
  int wanted(const Fiber& fiber) const {
    if (fiber.wait.used > 0) return fiber.wait.used;
    const int blocks = static_cast<int>(device_.block_dim);
    if (fiber.wait.what == Wait::For::kAllCores) return blocks * layout_.cores();
    return blocks * (fiber.core->kind == CoreKind::kCube ? layout_.cubes : layout_.vectors);
  }

  // Lets go of those barriers that all their cores have reached.
  bool release_barriers() {
    for (const auto& first : active_) {
      if (first->wait.what != Wait::For::kOwnKind && first->wait.what != Wait::For::kAllCores) continue;
      std::vector<Fiber*> waiting;
      for (const auto& other : active_)
        if (same_barrier(*first, *other)) waiting.push_back(other.get());
      if (static_cast<int>(waiting.size()) < wanted(*first)) continue;
      double last = 0;
      for (const Fiber* fiber : waiting) last = std::max(last, fiber->core->pipes.finish());
      KG_CHECK_LE(static_cast<int>(waiting.size()), device_.cross_core->cores());
      const bool everybody = static_cast<int>(waiting.size()) == device_.cross_core->cores();
      if (everybody) last = device_.traffic.end_phase(last);
      Clock together;  // the clock that every core has afterwards
      for (const Fiber* fiber : waiting) together.join(fiber->core->pipes.publish(kS, fiber->core->number));
      if (everybody) {
        device_.memory.forget_accesses();
        device_.caches.before.clear();
      }
      for (Fiber* fiber : waiting) {
        if (device_.counts.wanted())
          device_.counts.wait(kS, CycleCounts::kOtherCores, fiber->core->pipes.finish(), last + chip::kSyncAll,
                              fiber->wait.line);
        fiber->core->pipes.wait(kS, together);
        fiber->core->pipes.start_at(last + chip::kSyncAll);
        fiber->wait = {};
      }
      for (Fiber* fiber : waiting)
        if (!failed()) resume(*fiber);
      std::erase_if(active_, [](const auto& fiber) { return fiber->ended; });
      return true;
    }
    return false;
  }

  static std::string call_of(const Wait& wait) {
    const auto [workspace, block, event] = wait.signal;
    if (event == kgnpu::kTurn) return "WaitPreBlock";
    if (event >= kgnpu::kGroupArrival)
      return message_of("GroupBarrier::Wait(", block, ") for Arrive(", event - kgnpu::kGroupArrival, ")");
    return "IBWait of block " + std::to_string(block) + ", event " + std::to_string(event);
  }

  std::string what_it_waits_for(const Fiber& fiber) const {
    const std::string at = " (line " + std::to_string(fiber.wait.line) + ")";
    if (fiber.wait.what == Wait::For::kFlag)
      return message_of(name_of(*fiber.core, layout_), " waits in CrossCoreWaitFlag(", fiber.wait.flag, ")", at);
    if (fiber.wait.what == Wait::For::kSignal)
      return name_of(*fiber.core, layout_) + " waits in " + call_of(fiber.wait) + at;
    if (fiber.wait.what == Wait::For::kProducts || fiber.wait.what == Wait::For::kProduct)
      return name_of(*fiber.core, layout_) + " waits for a product of a Matmul object" + at;
    return name_of(*fiber.core, layout_) + " waits in SyncAll" + at;
  }

  void report_deadlock() {
    KG_CHECK(!active_.empty());  // with every place free the next block would have started
    // A cube core that serves Matmul objects waits for the others.
    const auto waiter = std::find_if(active_.begin(), active_.end(),
                                     [](const auto& one) { return one->wait.what != Wait::For::kProducts; });
    const Fiber& first = waiter != active_.end() ? **waiter : *active_.front();
    Core& core = *first.core;
    core.line = first.wait.line;
    const auto others = static_cast<int>(
        std::count_if(active_.begin(), active_.end(), [&](const auto& one) { return same_barrier(first, *one); }));
    std::string message;
    if (first.wait.what == Wait::For::kFlag) {
      message = what_it_waits_for(first) + " for ever: its counter is 0 and no core is left to raise it";
      int shown = 0;
      for (const auto& other : active_)
        if (other.get() != &first && other->core->block == core.block && shown++ < 3)
          message += "; " + what_it_waits_for(*other);
      message +=
          "; every CrossCoreWaitFlag needs a CrossCoreSetFlag of the other side, from both vector cores where a cube "
          "core waits";
    } else if (first.wait.what == Wait::For::kSignal) {
      message = what_it_waits_for(first) + " for ever: no core is left to set it; " +
                (std::get<2>(first.wait.signal) == kgnpu::kTurn
                     ? "call InitDetermineComputeWorkspace on every core, and NotifyNextBlock as often as WaitPreBlock"
                 : std::get<2>(first.wait.signal) >= kgnpu::kGroupArrival
                     ? "every core of the arriving group must call Arrive with its own index, on the same workspace"
                     : "another core must call IBSet with the same workspace, block and event");
      if (next_ < order_.size())
        message += "; launch at most " + std::to_string(layout_.places) + " blocks, so that all of them run at once";
    } else if (next_ < order_.size()) {
      message = "SyncAll with more blocks than cores never ends; launch at most " + std::to_string(layout_.places) +
                " blocks";
    } else {
      message = "SyncAll waits for ever: " + std::to_string(wanted(first) - others) +
                " of the cores do not reach it; call it on every core";
      int shown = 0;
      for (const auto& other : active_)
        if (!same_barrier(first, *other) && shown++ < 3) message += "; " + what_it_waits_for(*other);
    }
    core.error(FaultClass::kSynchronisation, message);
    scheduler->failed = true;
  }

  void warn_flags() {
    const auto left = device_.cross_core->leftovers();
    if (left.empty()) return;
    device_.faults.warning(FaultClass::kSynchronisation,
                           message_of("CrossCoreSetFlag with id ", left.front()[1],
                                      " has no CrossCoreWaitFlag at the end of the kernel on ", left.size(),
                                      " counters; the next kernel would find them set"),
                           0, -1);
  }

  Device& device_;
  const Program& program_;
  const TaskLayout& layout_;
  std::vector<int> order_;
  Philox* random_;
  std::size_t next_ = 0;
  std::vector<double> free_at_;  // when each place is free
  std::vector<int> busy_;        // cores that still run on it
  std::vector<std::unique_ptr<Fiber>> active_;
  Pools pools_;
  Outcome outcome_;
};

}  // namespace

Outcome run_cores(Device& device, const Program& program, const std::string& arguments, std::uint64_t seed) {
  KG_CHECK_LE(arguments.size(), kMostArguments);
  KG_CHECK_GT(program.layout.places, 0);
  std::vector<int> order(device.block_dim);
  std::iota(order.begin(), order.end(), 0);
  Philox random(seed, /*stream=*/0);
  if (seed != 0)
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.next_below(i)]);
  Scheduler state;
  state.program = &program;
  ++device.launches;
  state.arguments = &arguments;
  KG_CHECK(program.vector.image != nullptr);
  state.outside = CoreOutside(program.vector.image->has_tags());
  scheduler = &state;
  for (const Program::Half* half : {&program.vector, &program.cube}) {
    if (half->image == nullptr) continue;
    const scalar::Image::Extent extent = half->image->constants();
    const std::uint64_t bytes = extent.end - extent.begin;
    device.memory.add_constants(half->image, extent.begin, half->image->read(extent.begin, bytes), bytes);
  }
  device.cross_core = std::make_unique<CrossCore>(program.layout, static_cast<int>(device.block_dim));
  const Outcome outcome = Launcher(device, program, std::move(order), seed != 0 ? &random : nullptr).run();
  scheduler = nullptr;
  return outcome;
}

}  // namespace kg::npu
