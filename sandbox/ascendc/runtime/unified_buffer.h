#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sandbox/ascendc/runtime/pipes.h"

namespace kg::sandbox::ascendc {

// One core's UB: its bytes, which of them hold defined data, and who touched them last.
class UnifiedBuffer {
 public:
  static constexpr std::int64_t kBytes = 192 * 1024;
  static constexpr std::int64_t kUsable = kBytes - 256;  // the rest is the framework's
  static constexpr std::int64_t kUnit = 32;

  UnifiedBuffer();
  std::uint8_t* data() { return data_; }
  std::uint8_t* defined() { return defined_.data(); }  // 1: a byte with defined data, 0: poison or computed from poison
  void clear(std::int64_t address, std::int64_t bytes);  // as a fresh allocation: poison, undefined, touched by nobody

  bool all_defined(std::int64_t address, std::int64_t bytes) const;
  void set_defined(std::int64_t address, std::int64_t bytes, bool value);

  // A conflicting access that nothing orders before the present one.
  struct Race {
    bool found = false;
    bool wrote = false;  // the earlier access
    int pipe = 0;
    int line = 0;
  };
  // Records that `instruction` touches the bytes; reports the first race. Accesses of S never race on a vector core,
  // since the compiler adds the flags: they wait for, and are waited for by, what they meet.
  Race touch(Pipes& pipes, const Instruction& instruction, std::int64_t address, std::int64_t bytes, bool writes,
             int line);

 private:
  struct Unit {  // 32 bytes
    std::uint32_t write_number = 0;
    std::int32_t write_line = 0;
    std::uint8_t write_pipe = 0;
    std::uint32_t read_number[kPipes] = {};
    std::int32_t read_line[kPipes] = {};
  };
  std::vector<std::uint8_t> storage_;
  std::uint8_t* data_;  // aligned within storage_
  std::vector<std::uint8_t> defined_;
  std::vector<Unit> units_;
};

}  // namespace kg::sandbox::ascendc
