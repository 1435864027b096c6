// LoadData of whole fractals and LoadDataWithTranspose.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "npu/machine/cost_table.h"
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

// One iteration of LoadDataWithTranspose: a square of side 16 (32 for bytes), in one fractal or two. Bytes lie in two
// fractals one below the other, 4-byte elements in two side by side.
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
  const double rate = to == Memory::kL0b ? cost::kL0bBytesPerCycle : cost::kL0aBytesPerCycle;
  return static_cast<double>(bytes) / rate;
}

}  // namespace
}  // namespace kg::npu

using namespace kg::npu;

extern "C" void kgnpu_load_fractals(const kgnpu::LoadFractalsCall* call) {
  Core& self = core();
  if (!begin_cube_call(self, call->line)) return;
  const char* name = call->name;
  if (call->repeat <= 0) return;
  const bool from_gm = call->src == nullptr;
  const Memory memory = memory_among(self, name, "the destination tensor", *call->dst,
                                     from_gm ? std::initializer_list<Memory>{Memory::kL1, Memory::kL0a, Memory::kL0b}
                                             : std::initializer_list<Memory>{Memory::kL0a, Memory::kL0b});
  if (call->transpose && !call->squares && (from_gm || call->element_bytes != 2)) {
    self.error(FaultClass::kArgument,
               "LoadData with ifTranspose takes 2-byte types from L1 to L0A or L0B only; use "
               "LoadDataWithTranspose for other types");
    end_kernel();
  }
  // A step of the source and of the destination, in bytes.
  const std::int64_t fractals = call->squares && call->element_bytes != 2 ? 2 : 1;
  const std::int64_t piece = fractals * kFractalBytes;
  const std::int64_t second = (1 + call->dst_square_gap) * kFractalBytes;
  const std::int64_t dst_piece = (fractals - 1) * second + kFractalBytes;
  const std::int64_t dst_step = (1 + call->dst_gap) * kFractalBytes;
  const std::int64_t src_step = (call->decreasing ? -1 : 1) * call->src_stride * piece;
  const std::int64_t first = call->start * piece, last = first + (call->repeat - 1) * src_step;
  check_local(self, name, "the destination tensor", *call->dst, (call->repeat - 1) * dst_step + dst_piece,
              /*any_address=*/false, memory);

  GlobalMemory::Allocation* allocation = nullptr;
  if (from_gm) {
    const std::int64_t low = std::min(first, last), high = std::max(first, last) + piece;
    allocation = &check_global_range(self, name, call->gm + static_cast<std::uint64_t>(low),
                                     static_cast<std::uint64_t>(high - low), /*writes=*/false);
  } else {
    memory_among(self, name, "the source tensor", *call->src, {Memory::kL1});
    check_local(self, name, "the source tensor", *call->src, std::max(first, last) + piece, /*any_address=*/false,
                Memory::kL1);
    if (std::min(first, last) < 0) {
      self.error(FaultClass::kUb, std::string(name) +
                                      ": the source runs below the start of its tensor; check startIndex, "
                                      "srcStride and addrMode");
      end_kernel();
    }
  }
  const std::int64_t bytes = call->repeat * piece;
  const Instruction instruction =
      from_gm
          ? issue_move(self, kMte2, name,
                       {.allocation = allocation,
                        .offset = call->gm - allocation->start() + static_cast<std::uint64_t>(std::min(first, last)),
                        .blocks = call->repeat,
                        .bytes = piece,
                        .stride = std::abs(src_step)})
          : self.issue(kMte1, cost::kCubeMoveStart + load_cycles(memory, bytes), cost::kCubeMoveLatency, name,
                       static_cast<std::uint64_t>(bytes));
  LocalMemory& to = self.memory(memory);
  std::array<std::uint8_t, 2 * kFractalBytes> bytes_read, state;
  for (int i = 0; i < call->repeat; ++i) {
    const std::int64_t source = first + i * src_step, target = call->dst->address + i * dst_step;
    Bytes from;
    if (from_gm) {
      const std::uint64_t offset = call->gm - allocation->start() + static_cast<std::uint64_t>(source);
      load_global(self, name, instruction, *allocation, offset, bytes_read.data(), state.data(), piece);
      from = {bytes_read.data(), state.data()};
    } else {
      LocalMemory& l1 = self.memory(Memory::kL1);
      touch_local(self, name, instruction, call->src->address + source, piece, /*writes=*/false, Memory::kL1);
      from = {l1.data() + call->src->address + source, l1.defined() + call->src->address + source};
    }
    for (std::int64_t f = 0; f < fractals; ++f)
      touch_local(self, name, instruction, target + f * second, kFractalBytes, /*writes=*/true, memory);
    const Bytes into{to.data() + target, to.defined() + target};
    if (call->squares || call->transpose) {
      transpose_square(call->element_bytes, from, into, second);
    } else {
      std::memcpy(into.data, from.data, kFractalBytes);
      std::memcpy(into.defined, from.defined, kFractalBytes);
    }
  }
}
