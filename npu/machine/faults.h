#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "proto/fault_class.h"
#include "proto/sandbox.pb.h"

namespace kg::npu {

using proto::FaultClass;

// The faults of one launch. The same class at the same line is kept once (its first message and core). Warnings are
// kept up to kMostFaults, errors up to twice as many.
class Faults {
 public:
  static constexpr std::size_t kMostFaults = 64;

  void error(FaultClass fault_class, std::string message, int line, int core);
  void warning(FaultClass fault_class, std::string message, int line, int core);
  // Counts as an error until it is known to be harmless (races.h).
  void race(FaultClass fault_class, std::string message, int line, int core);
  bool has_races() const { return !races_.empty(); }
  bool is_race(std::size_t index) const { return races_.count(index) != 0; }
  void excuse_races();
  const std::vector<proto::Fault>& list() const { return list_; }

 private:
  void add(FaultClass fault_class, proto::FaultSeverity severity, std::string message, int line, int core,
           bool is_race = false);
  std::vector<proto::Fault> list_;
  std::set<std::size_t> races_;  // positions of races in the list
};

}  // namespace kg::npu
