#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "proto/fault_class.h"
#include "proto/sandbox.pb.h"

namespace kg::npu {

using proto::FaultClass;

// A message of its parts: text, and numbers in decimal.
template <typename... Parts>
std::string message_of(const Parts&... parts) {
  std::string message;
  const auto add = [&](const auto& part) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(part)>>)
      message += std::to_string(part);
    else
      message += part;
  };
  (add(parts), ...);
  return message;
}

// The faults of one launch. The same class at the same line is kept once (its first message and core). Warnings are
// kept up to kMostFaults, errors up to twice as many.
class Faults {
 public:
  static constexpr std::size_t kMostFaults = 64;

  void error(FaultClass fault_class, std::string message, int line, int core);
  void warning(FaultClass fault_class, std::string message, int line, int core);
  // Errors until another run of the launch shows that they are harmless.
  enum class Doubt : std::uint8_t {
    kNone,
    kRace,    // races.h
    kForeign  // foreign_bytes.h
  };
  void doubtful(Doubt doubt, FaultClass fault_class, std::string message, int line, int core);
  bool has(Doubt doubt) const;
  bool is_doubtful(std::size_t index) const { return doubt_of(index) != Doubt::kNone; }
  void excuse(Doubt doubt);
  const std::vector<proto::Fault>& list() const { return list_; }

 private:
  Doubt doubt_of(std::size_t index) const;
  void add(FaultClass fault_class, proto::FaultSeverity severity, std::string message, int line, int core,
           Doubt doubt = Doubt::kNone);
  std::vector<proto::Fault> list_;
  std::map<std::size_t, Doubt> doubts_;  // by position in the list
};

}  // namespace kg::npu
