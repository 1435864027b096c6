#include "npu/machine/cross_core.h"

#include <algorithm>

#include "base/check.h"
#include "npu/chip.h"
#include "npu/machine/core.h"
#include "npu/machine/scheduler.h"

namespace kg::npu {

CrossCore::CrossCore(const TaskLayout& layout, int blocks)
    : layout_(layout), blocks_(blocks), counters_(index(blocks * layout.cores())) {
  KG_CHECK_GT(layout.cores(), 0);
  KG_CHECK_GT(blocks, 0);
  for (auto& mode : waiting_) mode.resize(counters_.size());
}

std::vector<int> CrossCore::members(int block, bool cubes, bool vectors) const {
  std::vector<int> list;
  for (int lane = 0; lane < layout_.cores(); ++lane)
    if (lane < layout_.cubes ? cubes : vectors) list.push_back(number_of(block, lane));
  return list;
}

std::vector<int> CrossCore::members(bool cubes) const {
  std::vector<int> list;
  for (int block = 0; block < blocks_; ++block)
    for (const int one : members(block, cubes, !cubes)) list.push_back(one);
  return list;
}

CrossCore::Set CrossCore::raise(const std::vector<int>& targets, int flag, const Clock& clock) {
  Set result = Set::kDone;
  for (const int target : targets) {
    KG_CHECK_LT(index(target), counters_.size());
    Counter& counter = counters_[index(target)][index(flag)];
    KG_CHECK_LE(counter.size(), index(kMost));
    if (counter.size() >= kMost)
      result = Set::kOverflow;
    else
      counter.push_back(clock);
  }
  return result;
}

CrossCore::Set CrossCore::gather(int core, const std::vector<int>& sources, const std::vector<int>& targets, int mode,
                                 int flag, const Clock& clock) {
  KG_CHECK(std::find(sources.begin(), sources.end(), core) != sources.end());
  auto& waiting = waiting_[index(mode)];
  const auto at = [&](int one) -> Counter& { return waiting[index(one)][index(flag)]; };
  if (at(core).size() >= kMost) return Set::kOverflow;
  at(core).push_back(clock);
  if (std::any_of(sources.begin(), sources.end(), [&](int one) { return at(one).empty(); })) return Set::kDone;
  Clock all;
  for (const int one : sources) {
    all.join(at(one).front());
    at(one).erase(at(one).begin());
  }
  return raise(targets, flag, all);
}

CrossCore::Set CrossCore::set(const Core& core, int mode, int flag, const Clock& clock) {
  const bool is_cube = core.kind == CoreKind::kCube;
  if (mode == 0) {
    const std::vector<int> all = members(is_cube);
    return gather(core.number, all, all, mode, flag, clock);
  }
  const std::vector<int> cubes = members(core.block, true, false), vectors = members(core.block, false, true);
  if (mode == 1) return is_cube ? Set::kNobody : gather(core.number, vectors, vectors, mode, flag, clock);
  if (is_cube) return vectors.empty() ? Set::kNobody : raise(vectors, flag, clock);
  return cubes.empty() ? Set::kNobody : gather(core.number, vectors, cubes, mode, flag, clock);
}

Clock CrossCore::take(int core, int flag) {
  Counter& counter = counters_[index(core)][index(flag)];
  KG_CHECK(!counter.empty());  // wait_until() came back because there is one
  Clock first = std::move(counter.front());
  counter.erase(counter.begin());
  return first;
}

Clock CrossCore::take(const Signal& signal) {
  std::deque<Clock>& clocks = signals_[signal];
  KG_CHECK(!clocks.empty());
  Clock first = std::move(clocks.front());
  clocks.pop_front();
  return first;
}

std::vector<std::array<int, 2>> CrossCore::leftovers() const {
  std::vector<std::array<int, 2>> list;
  for (int core = 0; core < cores(); ++core)
    for (int flag = 0; flag < kFlags; ++flag)
      if (ready(core, flag)) list.push_back({core, flag});
  return list;
}

namespace {

// The ids that a kernel may use.
std::string own_flags() { return "0 to " + std::to_string(chip::kCrossCoreKernelFlags - 1); }

}  // namespace
}  // namespace kg::npu

using namespace kg::npu;

extern "C" {

void kgnpu_cross_core_set(int mode, int pipe, int flag, int line) {
  Core& self = core_at(line);
  if (mode < 0 || mode > 2 || flag < 0 || flag >= CrossCore::kFlags)
    self.fail(FaultClass::kSynchronisation, "CrossCoreSetFlag<", mode, "> with flag id ", flag,
              "; modes are 0 to 2, ids ", own_flags());
  if (flag >= chip::kCrossCoreKernelFlags)
    self.warning(FaultClass::kSynchronisation, "CrossCoreSetFlag with flag id ", flag, "; ",
                 chip::kCrossCoreKernelFlags, " to ", CrossCore::kFlags - 1,
                 " are the framework's (SyncAll, Matmul); use ", own_flags());
  self.issue(kS, 0, 0);
  // The flag is set when the pipe has come so far.
  const Clock clock = self.pipes.publish(pipe >= 0 && pipe < kPipes && pipe != kAllPipes ? pipe : kS, self.number);
  switch (self.device->cross_core->set(self, mode, flag, clock)) {
    case CrossCore::Set::kOverflow:
      self.fail(FaultClass::kSynchronisation, "CrossCoreSetFlag with flag id ", flag, ": its counter passes ",
                CrossCore::kMost, "; CrossCoreWaitFlag must keep up");
    case CrossCore::Set::kNobody:
      self.error(FaultClass::kSynchronisation, "CrossCoreSetFlag<", mode,
                 ">: the kernel's task type starts no core of the other side in this group; declare "
                 "KERNEL_TYPE_MIX_AIC_1_1 or KERNEL_TYPE_MIX_AIC_1_2");
      return;
    case CrossCore::Set::kDone:
      return;
  }
}

void kgnpu_cross_core_wait(int flag, int line) {
  Core& self = core_at(line);
  if (flag < 0 || flag >= CrossCore::kFlags)
    self.fail(FaultClass::kSynchronisation, "CrossCoreWaitFlag with flag id ", flag, "; ids are ", own_flags());
  self.issue(kS, 0, 0);
  CrossCore& flags = *self.device->cross_core;
  if (!flags.ready(self.number, flag)) wait_until({Wait::For::kFlag, flag, 0, line});
  // Everything issued later waits: the scalar unit does.
  Clock clock = flags.take(self.number, flag);
  clock.time += chip::kCrossCoreFlag;
  self.wait(kS, kS, clock, "CrossCoreWaitFlag");
}

// A signal through a workspace: everything that this core has issued happens before it, as the device's own barrier has
// it.
void kgnpu_core_signal(uint64_t workspace, int block, int event, int line) {
  Core& self = core_at(line);
  self.pipes.barrier(kAllPipes);
  self.device->cross_core->raise({workspace, block, event}, self.pipes.publish(kS, self.number));
}

void kgnpu_core_await(uint64_t workspace, int block, int event, int line) {
  Core& self = core_at(line);
  self.pipes.barrier(kAllPipes);
  CrossCore& flags = *self.device->cross_core;
  const CrossCore::Signal signal{workspace, block, event};
  if (!flags.ready(signal)) {
    Wait wait;
    wait.what = Wait::For::kSignal;
    wait.signal = signal;
    wait.line = line;
    wait_until(wait);
  }
  Clock clock = flags.take(signal);
  clock.time += chip::kCrossCoreFlag;
  self.wait(kS, kS, clock,
            event == kgnpu::kTurn           ? "WaitPreBlock"
            : event >= kgnpu::kGroupArrival ? "GroupBarrier::Wait"
                                            : "IBWait");
}

// SyncAll: of the vector cores, or of all. `used` cores take part if not 0.
void kgnpu_sync_cores(int vector_only, int used, int line) {
  Core& self = core_at(line);
  const TaskLayout& layout = self.device->cross_core->layout();
  if (vector_only && self.kind == CoreKind::kCube && layout.vectors > 0) return;
  self.pipes.barrier(kAllPipes);
  wait_until({vector_only ? Wait::For::kOwnKind : Wait::For::kAllCores, -1, used, line});
}

int64_t kgnpu_sub_block_index() { return core().sub_block; }
int64_t kgnpu_sub_block_count() {
  const TaskLayout& layout = core().device->cross_core->layout();
  return core().kind == CoreKind::kCube || layout.cubes == 0 ? 1 : layout.vectors;
}
// Vector cores per cube core of the group, as reported by GetTaskRatio.
int64_t kgnpu_task_ratio() {
  const TaskLayout& layout = core().device->cross_core->layout();
  return core().kind == CoreKind::kVector && layout.cubes > 0 ? layout.vectors : 1;
}

}  // extern "C"
