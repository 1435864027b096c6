#include "npu/machine/local_memory.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/check.h"
#include "npu/headers/kgnpu/abi.h"

namespace kg::npu {

const MemoryKind& kind_of(Memory memory) {
  KG_CHECK(memory < Memory::kCount);
  static constexpr MemoryKind kKinds[] = {
      {"UB", UnifiedBuffer::kBytes, UnifiedBuffer::kUsable, 32},
      {"L1", chip::kL1Bytes, chip::kL1Bytes, 32},
      {"L0A", chip::kL0aBytes, chip::kL0aBytes, 512},
      {"L0B", chip::kL0bBytes, chip::kL0bBytes, 512},
      {"L0C", chip::kL0cBytes, chip::kL0cBytes, 64},
      {"BT", chip::kBiasBytes, chip::kBiasBytes, 64},
      {"FB", chip::kFixpipeBytes, chip::kFixpipeBytes, 64},
  };
  static_assert(std::size(kKinds) == static_cast<std::size_t>(Memory::kCount));
  return kKinds[static_cast<int>(memory)];
}

Memory memory_of(std::uint8_t position) {
  namespace p = kgnpu::position;
  switch (position) {
    case p::kA1:
    case p::kB1:
    case p::kC1:
    case p::kTscm:
      return Memory::kL1;
    case p::kA2:
      return Memory::kL0a;
    case p::kB2:
      return Memory::kL0b;
    case p::kC2:
      return Memory::kBias;
    case p::kCo1:
      return Memory::kL0c;
    case p::kC2Pipe2Gm:
      return Memory::kFixpipe;
    default:
      return Memory::kUb;
  }
}

LocalMemory::LocalMemory(std::int64_t bytes)
    : data_(static_cast<std::size_t>(bytes)),
      defined_(static_cast<std::size_t>(bytes), 0),
      units_(static_cast<std::size_t>(bytes / kUnit)),
      touched_end_(bytes) {
  KG_CHECK_EQ(bytes % kUnit, 0);
}

void LocalMemory::check_range(std::int64_t address, std::int64_t bytes) const {
  KG_CHECK_GE(address, 0);
  KG_CHECK_GE(bytes, 0);
  KG_CHECK_LE(address + bytes, this->bytes());
}

void LocalMemory::forget_accesses(std::int64_t address, std::int64_t bytes) {
  check_range(address, bytes);
  const std::int64_t begin = std::max(address, touched_begin_), end = std::min(address + bytes, touched_end_);
  if (begin < end) std::fill(units_.begin() + begin / kUnit, units_.begin() + (end + kUnit - 1) / kUnit, Unit{});
}

void LocalMemory::renew(std::uint8_t poison) {
  if (poison_ != poison) note(0, this->bytes());
  if (touched_begin_ < touched_end_) {
    std::fill(data_.begin() + touched_begin_, data_.begin() + touched_end_, poison);
    std::fill(defined_.begin() + touched_begin_, defined_.begin() + touched_end_, std::uint8_t{0});
    forget_accesses(0, this->bytes());
  }
  poison_ = poison;
  touched_begin_ = this->bytes();
  touched_end_ = 0;
}

void LocalMemory::note(std::int64_t address, std::int64_t bytes) {
  if (bytes <= 0) return;
  touched_begin_ = std::min(touched_begin_, address);
  touched_end_ = std::max(touched_end_, address + bytes);
}

bool LocalMemory::all_defined(std::int64_t address, std::int64_t bytes) const {
  check_range(address, bytes);
  return std::memchr(defined_.data() + address, 0, static_cast<std::size_t>(bytes)) == nullptr;
}

void LocalMemory::set_defined(std::int64_t address, std::int64_t bytes, bool value) {
  check_range(address, bytes);
  note(address, bytes);
  std::memset(defined_.data() + address, value, static_cast<std::size_t>(bytes));
}

const std::vector<LocalMemory::Race>& LocalMemory::touch(Pipes& pipes, const Instruction& instruction,
                                                         std::int64_t address, std::int64_t bytes, bool writes,
                                                         int line) {
  check_range(address, bytes);
  KG_CHECK(is_pipe(instruction.pipe));
  note(address, bytes);
  races_.clear();
  const int pipe = instruction.pipe;
  const auto race = [&](const Race& one) {
    const auto known = std::find_if(races_.begin(), races_.end(), [&](const Race& earlier) {
      return earlier.pipe == one.pipe && earlier.number == one.number && earlier.wrote == one.wrote &&
             earlier.end == one.begin;
    });
    if (known == races_.end())
      races_.push_back(one);
    else
      known->end = one.end;
  };
  // Whether the other access races with this one.
  const auto meet = [&](std::int64_t unit, int other, std::uint32_t number, bool wrote, int other_line) {
    if (number == 0 || (other == pipe && number == instruction.number)) return false;
    if (pipes.ordered(pipe, other, number)) return false;
    if (pipe == kS) {
      pipes.scalar_meets(other);
    } else if (other != kS) {
      race({wrote, other, other_line, number, std::max(address, unit * kUnit),
            std::min(address + bytes, (unit + 1) * kUnit)});
      return true;
    }
    return false;
  };
  const std::int64_t first = address / kUnit, last = (address + bytes + kUnit - 1) / kUnit;
  for (std::int64_t u = first; u < last; ++u) {
    Unit& unit = units_[static_cast<std::size_t>(u)];
    meet(u, unit.write_pipe, unit.write_number, true, unit.write_line);
    if (writes) {
      for (int p = 0; p < kPipes; ++p) {
        // Reads and writes of one pipe keep their order. A read that this write may precede may also follow the next.
        if (p == pipe || !meet(u, p, unit.read_number[p], false, unit.read_line[p])) unit.read_number[p] = 0;
      }
      unit.write_pipe = static_cast<std::uint8_t>(pipe);
      unit.write_number = instruction.number;
      unit.write_line = line;
    } else {
      unit.read_number[pipe] = instruction.number;
      unit.read_line[pipe] = line;
    }
  }
  return races_;
}

}  // namespace kg::npu
