#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "npu/chip.h"
#include "npu/machine/global_memory.h"
#include "npu/machine/pipes.h"

namespace kg::npu {

struct Core;

// The blocks of one copy as GM sees them.
struct GmBlocks {
  GlobalMemory::Allocation* allocation = nullptr;
  std::uint64_t offset = 0;
  std::int64_t blocks = 1;
  std::int64_t bytes = 0;   // of a block
  std::int64_t stride = 0;  // from block to block
  bool writes = false;
};

// Issues a copy on `pipe` (MTE2, MTE3, FIX): what the core's own pipe takes, and what it asks of the GM that all share.
Instruction issue_move(Core& core, int pipe, const char* name, const GmBlocks& blocks);

// What all cores of a launch ask of GM. Cores are run one after the other, as if each had GM to itself; this keeps, for
// every window of that time, the cycles that GM needs for what they asked of it. Where a window holds more of them than
// it is long, the cores share what there is and time runs slower (`stretched`). A phase ends where all cores meet:
// at SyncAll and at the end. Everything is counted in whole units, so the order of the cores leaves no trace.
//
// L2 is 192 MB behind all cores: the first access to a line of 512 bytes in a launch goes to HBM, later ones do not,
// unless the launch touches more than L2 holds. A line that several cores use is served one request after the other.
class GmTraffic {
 public:
  // The requests of a copy that holds its pipe from `start` to `end`.
  void access(const GmBlocks& blocks, int core, double start, double end);
  void scalar_access(GlobalMemory::Allocation& allocation, std::uint64_t offset, bool writes, int core, double time);

  // Ends the phase, `until` cycles of the cores' own time; gives the time when it ends on the shared device, at which
  // the next one begins.
  double end_phase(double until);
  // By how much sharing has made the phases that have ended longer.
  double added() const { return added_; }
  // Time on the shared device of a moment of the cores' own time, in a phase that has ended.
  double stretched(double time) const;

 private:
  struct Line {                 // zero: untouched
    float read = 0, write = 0;  // 1 + cycles from the phase's start to its first access
    std::uint32_t requests = 0;
    std::uint8_t core = 0;  // 1 + core modulo 255 that asked first
    bool shared = false;
    bool resident = false, dirty = false;  // since an earlier phase
  };
  struct Lines {
    ZeroBytes memory;
    std::uint64_t count = 0;
    Line* at(std::uint64_t line) const { return reinterpret_cast<Line*>(memory.data()) + line; }
  };
  struct Phase {
    double begins = 0;          // on the cores' own clocks, which go on from the shared time of the phase before
    double length = 0;          // in the cores' own time
    std::vector<double> after;  // shared time since the beginning, at the end of each window
  };

  Line* touch(const Lines& lines, std::uint64_t line, int core, double time, bool writes);
  Lines& lines_of(const GlobalMemory::Allocation& allocation);
  void demand(double time, std::int64_t units);

  std::map<const GlobalMemory::Allocation*, Lines> lines_;
  std::vector<Line*> touched_;  // in this phase
  std::vector<std::int64_t> demand_;
  std::uint64_t resident_ = 0;  // lines
  double added_ = 0;
  std::vector<Phase> phases_{1};
};

// Cycles that the copy holds its core's pipe, which moves so many bytes a cycle.
double move_cycles(const GmBlocks& blocks, double bytes_per_cycle = chip::kMoveBytesPerCycle);

}  // namespace kg::npu
