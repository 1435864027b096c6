#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "npu/chip.h"
#include "npu/machine/pipes.h"

namespace kg::npu {

// The memories of a core: UB on vector cores; L1, L0A, L0B, L0C, the bias table (BT) and the fixpipe's parameters (FB)
// on cube cores.
enum class Memory : std::uint8_t { kUb, kL1, kL0a, kL0b, kL0c, kBias, kFixpipe, kCount };

struct MemoryKind {
  const char* name;
  std::int64_t bytes;
  std::int64_t usable;     // the rest is the framework's
  std::int64_t alignment;  // required alignment of addresses
};
const MemoryKind& kind_of(Memory memory);
// The memory for tensors of a TPosition.
Memory memory_of(std::uint8_t position);

// One memory of a core: its bytes, which of them hold defined data, and who last touched them.
class LocalMemory {
 public:
  static constexpr std::int64_t kUnit = chip::kBlockBytes;  // granularity of tracked accesses

  explicit LocalMemory(std::int64_t bytes);
  LocalMemory(const LocalMemory&) = delete;
  LocalMemory& operator=(const LocalMemory&) = delete;
  std::int64_t bytes() const { return static_cast<std::int64_t>(defined_.size()); }
  std::uint8_t* data() { return data_.data(); }
  std::uint8_t* defined() { return defined_.data(); }  // 1: a byte with defined data, 0: poison or computed from poison
  // As after allocation: nobody's access is remembered. The bytes stay as they are, as on the chip.
  void forget_accesses(std::int64_t address, std::int64_t bytes);
  // Restores the state in which a core finds it. Parts that no core has touched since are already in it.
  void renew(std::uint8_t poison);

  bool all_defined(std::int64_t address, std::int64_t bytes) const;
  void set_defined(std::int64_t address, std::int64_t bytes, bool value);

  // A conflicting access that is not ordered before the current one.
  struct Race {
    bool wrote = false;  // the earlier access
    int pipe = 0;
    int line = 0;
    std::uint32_t number = 0;
    std::int64_t begin = 0, end = 0;  // bytes of the current access
  };
  // Records that `instruction` touches the bytes; returns its races, valid until the next call. Accesses of S never
  // race on a vector core, since the compiler adds the flags: both sides wait for each other.
  const std::vector<Race>& touch(Pipes& pipes, const Instruction& instruction, std::int64_t address, std::int64_t bytes,
                                 bool writes, int line);

 private:
  void check_range(std::int64_t address, std::int64_t bytes) const;  // calls check their operands against it first
  struct Unit {                                                      // 32 bytes
    std::uint32_t write_number = 0;
    std::int32_t write_line = 0;
    std::uint8_t write_pipe = 0;
    std::uint32_t read_number[kPipes] = {};
    std::int32_t read_line[kPipes] = {};
  };
  void note(std::int64_t address, std::int64_t bytes);  // as touched
  std::vector<std::uint8_t> data_;
  std::vector<std::uint8_t> defined_;
  std::vector<Unit> units_;
  std::vector<Race> races_;                       // from the last touch()
  std::int64_t touched_begin_ = 0, touched_end_;  // the part that renew() must restore
  std::int32_t poison_ = -1;                      // poison of the bytes outside that part; -1: none yet
};

class UnifiedBuffer : public LocalMemory {
 public:
  static constexpr std::int64_t kBytes = chip::kUbBytes;
  // All of it is physical memory and can be given out, as the platform reports; the framework reserves 256 B only
  // if it needs them.
  static constexpr std::int64_t kUsable = kBytes;

  UnifiedBuffer() : LocalMemory(kBytes) {}
};

}  // namespace kg::npu
