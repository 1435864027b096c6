#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/fault_class.h"
#include "proto/sandbox.pb.h"

namespace kg::npu {

using proto::FaultClass;

// The faults of one launch. The same class at the same line is kept once (its first message and core); at most
// kMostFaults in all.
class Faults {
 public:
  static constexpr std::size_t kMostFaults = 64;

  void error(FaultClass fault_class, std::string message, int line, int core);
  void warning(FaultClass fault_class, std::string message, int line, int core);
  const std::vector<proto::Fault>& list() const { return list_; }

 private:
  void add(FaultClass fault_class, proto::FaultSeverity severity, std::string message, int line, int core);
  std::vector<proto::Fault> list_;
};

}  // namespace kg::npu
