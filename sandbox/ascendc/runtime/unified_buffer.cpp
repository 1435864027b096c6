#include "sandbox/ascendc/runtime/unified_buffer.h"

#include <algorithm>
#include <cstring>

namespace kg::sandbox::ascendc {
namespace {

constexpr std::uint8_t kPoison = 0xFF;  // NaN in every floating type
// Raw pointers (GetPhyAddr) may run a little past the end without hitting other data of this process.
constexpr std::size_t kMargin = 4096;

}  // namespace

UnifiedBuffer::UnifiedBuffer() : storage_(kBytes + 2 * kMargin, kPoison), defined_(kBytes, 0), units_(kBytes / kUnit) {
  const auto start = reinterpret_cast<std::uintptr_t>(storage_.data());
  data_ = storage_.data() + ((start + kMargin - 1) / kMargin * kMargin - start);
}

void UnifiedBuffer::clear(std::int64_t address, std::int64_t bytes) {
  std::memset(data_ + address, kPoison, static_cast<std::size_t>(bytes));
  std::memset(defined_.data() + address, 0, static_cast<std::size_t>(bytes));
  std::fill(units_.begin() + address / kUnit, units_.begin() + (address + bytes + kUnit - 1) / kUnit, Unit{});
}

bool UnifiedBuffer::all_defined(std::int64_t address, std::int64_t bytes) const {
  return std::memchr(defined_.data() + address, 0, static_cast<std::size_t>(bytes)) == nullptr;
}

void UnifiedBuffer::set_defined(std::int64_t address, std::int64_t bytes, bool value) {
  std::memset(defined_.data() + address, value, static_cast<std::size_t>(bytes));
}

UnifiedBuffer::Race UnifiedBuffer::touch(Pipes& pipes, const Instruction& instruction, std::int64_t address,
                                         std::int64_t bytes, bool writes, int line) {
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

}  // namespace kg::sandbox::ascendc
