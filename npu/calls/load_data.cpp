// LoadData with whole fractals, and LoadDataWithTranspose.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "npu/chip.h"
#include "npu/machine/cube.h"
#include "npu/machine/gm_store.h"

namespace kg::npu {
namespace {

// Bytes moved with, for each byte, whether it is defined.
struct Bytes {
  std::uint8_t* data;
  std::uint8_t* defined;
};

// Element (row, column) of `rows` x `columns` elements goes to (column, row) of a fractal-wise layout: both sides are
// stored as 16-row fractals whose rows take 32 bytes. `at` gives the place of an element in bytes.
template <typename From, typename To>
void transpose(std::int64_t side_rows, std::int64_t side_columns, std::int64_t element, Bytes from, From from_at,
               Bytes to, To to_at) {
  for (std::int64_t r = 0; r < side_rows; ++r)
    for (std::int64_t c = 0; c < side_columns; ++c) {
      const std::int64_t source = from_at(r, c), target = to_at(c, r);
      std::memcpy(to.data + target, from.data + source, static_cast<std::size_t>(element));
      std::memcpy(to.defined + target, from.defined + source, static_cast<std::size_t>(element));
    }
}

// One iteration of LoadDataWithTranspose: a square of side 16 (32 for bytes), in one fractal or two. Bytes use two
// fractals one below the other, 4-byte elements two side by side.
void transpose_square(std::int64_t element, Bytes from, Bytes to, std::int64_t to_second) {
  if (element == 2) {
    const auto at = [](std::int64_t r, std::int64_t c) { return r * 32 + c * 2; };
    transpose(16, 16, 2, from, at, to, at);
  } else if (element == 1) {
    const auto from_at = [](std::int64_t r, std::int64_t c) { return r * 32 + c; };
    const auto to_at = [&](std::int64_t r, std::int64_t c) { return r / 16 * to_second + r % 16 * 32 + c; };
    transpose(32, 32, 1, from, from_at, to, to_at);
  } else {
    const auto from_at = [](std::int64_t r, std::int64_t c) { return c / 8 * kFractalBytes + r * 32 + c % 8 * 4; };
    const auto to_at = [&](std::int64_t r, std::int64_t c) { return c / 8 * to_second + r * 32 + c % 8 * 4; };
    transpose(16, 16, 4, from, from_at, to, to_at);
  }
}

double load_cycles(Memory to, std::int64_t bytes) {
  const double rate = to == Memory::kL0b ? chip::kL0bBytesPerCycle : chip::kL0aBytesPerCycle;
  return static_cast<double>(bytes) / rate;
}

// The steps of a call: through its source in pieces, through its destination in fractals; all in bytes.
struct Steps {
  std::int64_t fractals, piece;  // per iteration, and size of a piece in bytes
  std::int64_t second;           // from the first to the second fractal of an iteration's destination
  std::int64_t dst_step, src_step;
  std::int64_t first, last;  // the source of the first and of the last iteration

  std::int64_t lowest() const { return std::min(first, last); }
  std::int64_t source_end() const { return std::max(first, last) + piece; }
};

Steps steps_of(const kgnpu::LoadFractalsCall& call) {
  Steps s{};
  s.fractals = call.squares && call.element_bytes != 2 ? 2 : 1;
  s.piece = s.fractals * kFractalBytes;
  s.second = (1 + call.dst_square_gap) * kFractalBytes;
  s.dst_step = (1 + call.dst_gap) * kFractalBytes;
  s.src_step = (call.decreasing ? -1 : 1) * call.src_stride * s.piece;
  s.first = call.start * s.piece;
  s.last = s.first + (call.repeat - 1) * s.src_step;
  return s;
}

// Iterations of LoadDataWithTranspose whose second fractals are where others have their first.
void check_squares(Core& core, const kgnpu::LoadFractalsCall& call) {
  const std::int64_t step = 1 + call.dst_gap, second = 1 + call.dst_square_gap;
  if (call.element_bytes == 2 || second % step != 0 || second / step >= call.repeat) return;
  core.error(FaultClass::kArgument, call.name, ": with dstGap ", call.dst_gap, " and dstFracGap ", call.dst_square_gap,
             " the fractals of different iterations overwrite each other");
}

// The allocation of the source, or null if it is in L1; ends the kernel if it is in neither.
GlobalMemory::Allocation* check_source(Core& core, const kgnpu::LoadFractalsCall& call, const Steps& s) {
  if (call.src == nullptr)
    return &check_global_range(core, call.name, call.gm + static_cast<std::uint64_t>(s.lowest()),
                               static_cast<std::uint64_t>(s.source_end() - s.lowest()), /*writes=*/false);
  memory_among(core, call.name, "the source tensor", *call.src, {Memory::kL1});
  check_local(core, call.name, "the source tensor", *call.src, s.source_end(), {.memory = Memory::kL1});
  if (s.lowest() < 0)
    core.fail(FaultClass::kUb, call.name,
              ": the source starts before its tensor; check startIndex, srcStride and addrMode");
  return nullptr;
}

Instruction issue_load(Core& core, const kgnpu::LoadFractalsCall& call, const Steps& s, Memory to,
                       GlobalMemory::Allocation* from) {
  if (from != nullptr)
    return issue_move(core, kMte2, call.name,
                      {.allocation = from,
                       .offset = call.gm - from->start() + static_cast<std::uint64_t>(s.lowest()),
                       .blocks = call.repeat,
                       .bytes = s.piece,
                       .stride = std::abs(s.src_step)});
  const std::int64_t bytes = call.repeat * s.piece;
  return core.issue(kMte1, chip::kCubeMoveStart + load_cycles(to, bytes), chip::kCubeMoveLatency, call.name,
                    static_cast<std::uint64_t>(bytes));
}

}  // namespace
}  // namespace kg::npu

using namespace kg::npu;

extern "C" void kgnpu_load_fractals(const kgnpu::LoadFractalsCall* call) {
  Core& self = core();
  if (!begin_cube_call(self, call->line)) return;
  const char* name = call->name;
  if (call->repeat <= 0) {
    if (!call->squares)
      self.warning(FaultClass::kArgument, "LoadData: repeatTimes is 0, so the call loads nothing; it is 1 to 255");
    return;
  }
  if (call->squares) check_squares(self, *call);
  const bool from_gm = call->src == nullptr;
  const Memory memory = memory_among(self, name, "the destination tensor", *call->dst,
                                     from_gm ? std::initializer_list<Memory>{Memory::kL1, Memory::kL0a, Memory::kL0b}
                                             : std::initializer_list<Memory>{Memory::kL0a, Memory::kL0b});
  if (call->transpose && !call->squares && (from_gm || call->element_bytes != 2))
    self.fail(FaultClass::kArgument,
              "LoadData with ifTranspose takes 2-byte types from L1 to L0A or L0B only; use LoadDataWithTranspose for "
              "other types");
  const Steps s = steps_of(*call);
  check_local(self, name, "the destination tensor", *call->dst,
              (call->repeat - 1) * s.dst_step + (s.fractals - 1) * s.second + kFractalBytes, {.memory = memory});
  GlobalMemory::Allocation* const allocation = check_source(self, *call, s);
  const Instruction instruction = issue_load(self, *call, s, memory, allocation);
  LocalMemory& to = self.memory(memory);
  std::array<std::uint8_t, 2 * kFractalBytes> bytes_read, state;
  for (int i = 0; i < call->repeat; ++i) {
    const std::int64_t source = s.first + i * s.src_step, target = call->dst->address + i * s.dst_step;
    Bytes from;
    if (allocation != nullptr) {
      const std::uint64_t offset = call->gm - allocation->start() + static_cast<std::uint64_t>(source);
      load_global(self, name, instruction, *allocation, offset, bytes_read.data(), state.data(), s.piece);
      from = {bytes_read.data(), state.data()};
    } else {
      LocalMemory& l1 = self.memory(Memory::kL1);
      touch_local(self, name, instruction, call->src->address + source, s.piece, /*writes=*/false, Memory::kL1);
      from = {l1.data() + call->src->address + source, l1.defined() + call->src->address + source};
    }
    for (std::int64_t f = 0; f < s.fractals; ++f)
      touch_local(self, name, instruction, target + f * s.second, kFractalBytes, /*writes=*/true, memory);
    const Bytes into{to.data() + target, to.defined() + target};
    if (call->squares || call->transpose) {
      transpose_square(call->element_bytes, from, into, s.second);
    } else {
      std::memcpy(into.data, from.data, kFractalBytes);
      std::memcpy(into.defined, from.defined, kFractalBytes);
    }
  }
}
