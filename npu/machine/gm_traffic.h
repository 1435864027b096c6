#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "npu/chip.h"
#include "npu/machine/global_memory.h"
#include "npu/machine/pipes.h"

namespace kg::npu {

struct Core;

// The blocks of one copy as seen by GM.
struct GmBlocks {
  GlobalMemory::Allocation* allocation = nullptr;
  std::uint64_t offset = 0;
  std::int64_t blocks = 1;
  std::int64_t bytes = 0;   // bytes of a block
  std::int64_t stride = 0;  // distance from block to block
  std::int64_t piece = 0;   // bytes of each block that one of several copies takes; 0: there is one copy
  bool writes = false;
};

// Issues a copy on `pipe` (MTE2, MTE3, FIX): its time on the core's own pipe, and its demand on the shared GM.
Instruction issue_move(Core& core, int pipe, const char* name, const GmBlocks& blocks);

// What L2 holds when a launch begins; nothing, unless something else is said.
struct L2Before {
  bool tensors = false;           // the launch's own, as when it is repeated, if all of them fit
  bool clean = false;             // nothing, as after a profiler's flush: what a launch writes stays there, if it fits
  std::uint64_t dirty_bytes = 0;  // of others: written back as the launch's own lines take their place
};

// The demand of all cores of a launch on GM. Cores are run one after the other, as if each had GM to itself; this
// records, for every window of that time, the cycles that GM needs for their requests. If a window holds more of them
// than its length, the cores share the bandwidth and time runs slower (`stretched`). A phase ends where all cores meet:
// at SyncAll and at the end. Everything is counted in whole units, so the order of the cores does not matter.
//
// L2 is 192 MB, shared by all cores: the first access to a line of 512 bytes in a launch goes to HBM, a later one only
// if the launch has asked for more other lines since than fit into L2 (least recently used; told apart by 64 epochs of
// a phase, so a line that is asked for in several of them counts as several). A launch that fits loses none. Requests
// of several cores for one line are served one by one, and a line is busy with a part of it as long as with the whole.
class GmTraffic {
 public:
  // `tensor_bytes`: of all that the launch may use. Before any access.
  void begin(const L2Before& l2, std::uint64_t tensor_bytes);
  // The requests of a copy that holds its pipe from `start` to `end`.
  void access(const GmBlocks& blocks, int core, double start, double end);
  void scalar_access(GlobalMemory::Allocation& allocation, std::uint64_t offset, bool writes, int core, double time);

  // Ends the phase at `until` cycles of the cores' own time; returns when it ends on the shared device, where
  // the next one begins.
  double end_phase(double until);
  // The time that sharing has added to the phases that have ended.
  double added() const { return added_; }
  // The shared device's time for a moment of the cores' own time, in a phase that has ended.
  double stretched(double time) const;

 private:
  struct Line {                 // zero: untouched
    float read = 0, write = 0;  // 1 + cycles from the phase's start to its first access
    std::uint32_t requests = 0;
    std::uint8_t core = 0;  // 1 + index modulo 255 of the first core that used it
    bool shared = false;
    bool dirty = false;        // since an earlier phase
    std::uint64_t epochs = 0;  // of this phase, a bit for each in which it was asked for
    float last = 0;            // `asked_` at its last access in an earlier phase; zero: never
  };
  struct Lines {
    ZeroBytes memory;
    std::uint64_t count = 0;
    Line* at(std::uint64_t line) const { return reinterpret_cast<Line*>(memory.data()) + line; }
  };
  struct Phase {
    double begins = 0;          // on the cores' own clocks, which continue from the previous phase's shared time
    double length = 0;          // in the cores' own time
    std::vector<double> after;  // shared time since the beginning, at the end of each window
  };

  static constexpr int kEpochs = 64;
  using Asked = std::array<double, kEpochs>;  // by epoch

  Line* touch(const Lines& lines, std::uint64_t line, int core, double time, bool writes);
  // Makes the epochs so long that `time` is in one of them.
  void lengthen_epochs(double time);
  // The misses of a line that was asked for in this phase, and the demand that they make. `asked` has the lines of each
  // epoch, `until` those of the launch until its middle; a line that was not there before costs `newcomer_units` more.
  void demand_misses(Line& line, const Asked& asked, const Asked& until, double length, std::int64_t newcomer_units);
  Lines& lines_of(const GlobalMemory::Allocation& allocation);
  void demand(double time, std::int64_t units);

  std::map<const GlobalMemory::Allocation*, Lines> lines_;
  std::vector<Line*> touched_;  // in this phase
  std::vector<std::int64_t> demand_;
  double epoch_ = chip::kShareWindow;  // cycles
  double asked_ = 0;                   // lines asked for in earlier phases, counted anew in each epoch
  double seen_ = 0;                    // lines asked for, each counted once
  double dirty_ = 0;                   // lines of others in L2 that are to be written back
  bool has_tensors_ = false;           // since before the launch
  bool keeps_writes_ = false;          // nothing has to be written back for them
  double added_ = 0;
  std::vector<Phase> phases_{1};
};

// Cycles for which the copy holds its core's pipe, at this many bytes a cycle.
double move_cycles(const GmBlocks& blocks, double bytes_per_cycle = chip::kMoveBytesPerCycle);

}  // namespace kg::npu
