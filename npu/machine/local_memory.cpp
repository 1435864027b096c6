#include "npu/machine/local_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/check.h"
#include "base/error.h"
#include "npu/headers/kgnpu/abi.h"

namespace kg::npu {
namespace {

constexpr std::uint8_t kPoison = 0xFF;  // of what no buffer was given
// Raw pointers (GetPhyAddr) may run a little past the end; further on nothing may be touched.
constexpr std::size_t kMargin = 4096, kGuard = 256 << 10;

}  // namespace

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
    : defined_(static_cast<std::size_t>(bytes), 0), units_(static_cast<std::size_t>(bytes / kUnit)) {
  KG_CHECK_EQ(bytes % kUnit, 0);
  const std::size_t page = 4096, body = (static_cast<std::size_t>(bytes) + page - 1) / page * page + 2 * kMargin;
  mapped_ = body + 2 * kGuard;
  base_ =
      static_cast<std::uint8_t*>(mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (base_ == MAP_FAILED || mprotect(base_ + kGuard, body, PROT_READ | PROT_WRITE) != 0)
    throw Error("cannot map a core's memory", "emulated device", "raise the memory limit of the run",
                Error::Kind::kEnvironment);
  std::memset(base_ + kGuard, kPoison, body);
  data_ = base_ + kGuard + kMargin;
}

LocalMemory::~LocalMemory() { munmap(base_, mapped_); }

void LocalMemory::check_range(std::int64_t address, std::int64_t bytes) const {
  KG_CHECK_GE(address, 0);
  KG_CHECK_GE(bytes, 0);
  KG_CHECK_LE(address + bytes, this->bytes());
}

void LocalMemory::clear(std::int64_t address, std::int64_t bytes, std::uint8_t poison) {
  check_range(address, bytes);
  std::memset(data_ + address, poison, static_cast<std::size_t>(bytes));
  std::memset(defined_.data() + address, 0, static_cast<std::size_t>(bytes));
  std::fill(units_.begin() + address / kUnit, units_.begin() + (address + bytes + kUnit - 1) / kUnit, Unit{});
}

bool LocalMemory::all_defined(std::int64_t address, std::int64_t bytes) const {
  check_range(address, bytes);
  return std::memchr(defined_.data() + address, 0, static_cast<std::size_t>(bytes)) == nullptr;
}

void LocalMemory::set_defined(std::int64_t address, std::int64_t bytes, bool value) {
  check_range(address, bytes);
  std::memset(defined_.data() + address, value, static_cast<std::size_t>(bytes));
}

LocalMemory::Race LocalMemory::touch(Pipes& pipes, const Instruction& instruction, std::int64_t address,
                                     std::int64_t bytes, bool writes, int line) {
  check_range(address, bytes);
  KG_CHECK(is_pipe(instruction.pipe));
  Race race;
  const int pipe = instruction.pipe;
  const auto meet = [&](int other, std::uint32_t number, bool wrote, int other_line) {
    if (number == 0 || (other == pipe && number == instruction.number)) return;
    if (pipes.ordered(pipe, other, number)) return;
    if (pipe == kS) {
      pipes.scalar_meets(other);
    } else if (other != kS && !race.found) {
      race = {true, wrote, other, other_line};
    }
  };
  const std::int64_t first = address / kUnit, last = (address + bytes + kUnit - 1) / kUnit;
  for (std::int64_t u = first; u < last; ++u) {
    Unit& unit = units_[static_cast<std::size_t>(u)];
    meet(unit.write_pipe, unit.write_number, true, unit.write_line);
    if (writes) {
      for (int p = 0; p < kPipes; ++p) {
        // Reads and writes of one pipe keep their order.
        if (p != pipe) meet(p, unit.read_number[p], false, unit.read_line[p]);
        unit.read_number[p] = 0;
      }
      unit.write_pipe = static_cast<std::uint8_t>(pipe);
      unit.write_number = instruction.number;
      unit.write_line = line;
    } else {
      unit.read_number[pipe] = instruction.number;
      unit.read_line[pipe] = line;
    }
  }
  return race;
}

}  // namespace kg::npu
