#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "npu/machine/pipes.h"
#include "proto/sandbox.pb.h"

namespace kg::npu {

// How a launch spends its cycles, added up as instructions are issued: unlike the timeline, complete and small. Cycles
// of the cores' own clocks, before GM is shared.
class CycleCounts {
 public:
  static constexpr int kOtherCores = kPipes;  // waits of a pipe at a barrier of cores

  void start() { wanted_ = true; }
  bool wanted() const { return wanted_; }
  void instruction(int pipe, double occupied, int line, std::uint64_t amount);
  void wait(int pipe, int on, double begin, double end, int line);
  void core_ended(int core, double time);

  // `total` of the case, and `shared`, the part added by sharing GM, in cycles of the device.
  proto::CycleProfile profile(double total, double launch, double shared) const;

 private:
  struct Work {
    double busy = 0;
    std::uint64_t instructions = 0, amount = 0;
  };

  bool wanted_ = false;
  std::map<std::pair<int, int>, Work> work_;                     // by line and pipe
  std::map<std::pair<int, std::pair<int, int>>, double> waits_;  // by pipe, what it waits for, and line
  std::vector<double> ends_;                                     // end of each core
};

}  // namespace kg::npu
