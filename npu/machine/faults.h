#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/sandbox.pb.h"

namespace kg::npu {

// The faults of one launch. The same class at the same line is kept once (its first message and core); at most
// kMostFaults in all.
class Faults {
 public:
  static constexpr std::size_t kMostFaults = 64;

  void error(const char* fault_class, std::string message, int line, int core);
  void warning(const char* fault_class, std::string message, int line, int core);
  const std::vector<proto::Fault>& list() const { return list_; }

 private:
  void add(const char* fault_class, proto::FaultSeverity severity, std::string message, int line, int core);
  std::vector<proto::Fault> list_;
};

}  // namespace kg::npu
