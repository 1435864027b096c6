#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "npu/chip.h"
#include "npu/machine/pipes.h"

namespace kg::npu {

struct Core;
enum class CoreKind : std::uint8_t;

// What a kernel starts for each block: a number of cube and vector cores that form a group, on the places of the chip.
struct TaskLayout {
  int cubes = 0;
  int vectors = 1;
  int places = chip::kVectorCores;  // blocks that run at once
  int cores() const { return cubes + vectors; }
};

// The flags between cores: one counter for each core and id, raised by CrossCoreSetFlag of other cores and lowered by
// CrossCoreWaitFlag, at most kMost.
class CrossCore {
 public:
  static constexpr int kFlags = chip::kCrossCoreFlags;
  static constexpr int kMost = chip::kCrossCoreMost;

  CrossCore(const TaskLayout& layout, int blocks);
  const TaskLayout& layout() const { return layout_; }
  // Cores are numbered group by group, cube cores first.
  int number_of(int block, int lane) const { return block * layout_.cores() + lane; }
  int cores() const { return static_cast<int>(counters_.size()); }

  enum class Set { kDone, kOverflow, kNobody };
  // Mode 0: all cores of the kind; 1: the vector cores of the group; 2: cube and vector cores of the group.
  // kOverflow: a counter would exceed kMost; kNobody: the group has no core to raise.
  Set set(const Core& core, int mode, int flag, const Clock& clock);
  bool ready(int core, int flag) const { return !counters_[index(core)][index(flag)].empty(); }
  Clock take(int core, int flag);

  // Signals in a GM workspace (IBSet, IBWait, NotifyNextBlock, WaitPreBlock), for each workspace, block and event;
  // each wait takes one.
  using Signal = std::tuple<std::uint64_t, int, int>;
  void raise(const Signal& signal, const Clock& clock) { signals_[signal].push_back(clock); }
  bool ready(const Signal& signal) const {
    const auto found = signals_.find(signal);
    return found != signals_.end() && !found->second.empty();
  }
  Clock take(const Signal& signal);

  // Non-zero counters: (core, flag).
  std::vector<std::array<int, 2>> leftovers() const;

 private:
  using Counter = std::vector<Clock>;
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  Set raise(const std::vector<int>& targets, int flag, const Clock& clock);
  // Raises `targets` once each of `sources` has set its flag.
  Set gather(int core, const std::vector<int>& sources, const std::vector<int>& targets, int place, int flag,
             const Clock& clock);
  std::vector<int> members(int block, bool cubes, bool vectors) const;
  std::vector<int> members(bool cubes) const;

  TaskLayout layout_;
  int blocks_;
  std::vector<std::array<Counter, kFlags>> counters_;
  // Set flags that wait for the others: by mode, core, flag.
  std::array<std::vector<std::array<Counter, kFlags>>, 3> waiting_;
  std::map<Signal, std::deque<Clock>> signals_;
};

}  // namespace kg::npu
