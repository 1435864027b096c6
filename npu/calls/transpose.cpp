// Transposes: 16 x 16 elements (vtranspose), the address-list form (TransDataTo5HD, scatter_vnchwconv), and Transpose
// with a shape.

#include <algorithm>
#include <array>
#include <cstring>

#include "npu/calls/non_elementwise.h"
#include "npu/calls/rate_table.h"
#include "npu/chip.h"
#include "npu/headers/kgnpu/temporary_sizes.h"

namespace kg::npu {
namespace {

using kgnpu::Special;

constexpr std::int64_t kBlock = UnifiedBuffer::kUnit;
constexpr std::int64_t kMostRepeats = 255;  // of 8 bits

// Bytes with what is known about them, gathered first and written afterwards: source and destination may be the same.
struct Bytes {
  std::vector<std::uint8_t> data, known;

  explicit Bytes(std::int64_t n) : data(static_cast<std::size_t>(n)), known(static_cast<std::size_t>(n)) {}
  void take(const SpecialRun& run, const kgnpu::Local& from, std::int64_t offset, std::int64_t to, std::int64_t n) {
    std::memcpy(&data[static_cast<std::size_t>(to)], run.at(from, offset), static_cast<std::size_t>(n));
    std::memcpy(&known[static_cast<std::size_t>(to)], run.core.ub->defined() + from.address + offset,
                static_cast<std::size_t>(n));
  }
  void give(SpecialRun& run, const kgnpu::Local& to, std::int64_t offset, std::int64_t from, std::int64_t n) const {
    std::memcpy(run.at(to, offset), &data[static_cast<std::size_t>(from)], static_cast<std::size_t>(n));
    std::memcpy(run.core.ub->defined() + to.address + offset, &known[static_cast<std::size_t>(from)],
                static_cast<std::size_t>(n));
  }
};

// tensor: dst, src; 16 x 16 elements of 2 bytes.
std::uint64_t transpose16(SpecialRun& run) {
  run.reads(run.tensor(1), 512, "the source tensor");
  run.writes(run.tensor(0), 512, "the destination tensor");
  run.issue(chip::kTransposeTile);
  Bytes tile(512);
  for (std::int64_t i = 0; i < 256; ++i) tile.take(run, run.tensor(1), (i % 16 * 16 + i / 16) * 2, i * 2, 2);
  tile.give(run, run.tensor(0), 0, 0, 512);
  return 0;
}

// tensor: arrays of 16 destination and 16 source blocks; number: repeat, repeat strides of dst and src, high halves of
// dst and src, bytes of an element. Element i of source block j goes to
//   2 bytes: element j of block i;   4 bytes: element j % 8 of block 2 i + j / 8 (i < 8);
//   1 byte: element j of the chosen half of block i, i counting within the chosen half of the source.
std::uint64_t vnchwconv(SpecialRun& run) {
  const kgnpu::Local* to = run.call.tensor[0];
  const kgnpu::Local* from = run.call.tensor[1];
  const std::int64_t repeats = run.number(0), size = run.number(5);
  if (repeats <= 0) return 0;
  if (size != 1 && size != 2 && size != 4) run.refuse("elements of ", size, " bytes; they have 1, 2 or 4");
  if (repeats > kMostRepeats) run.refuse(repeats, " repeats; at most 255");
  // With one repeat the strides have no effect.
  const std::int64_t to_step = repeats > 1 ? run.number(1) * kBlock : 0;
  const std::int64_t from_step = repeats > 1 ? run.number(2) * kBlock : 0;
  for (int k = 0; k < 16; ++k) {
    run.reads(from[k], (repeats - 1) * from_step + kBlock, "a source block");
    run.writes(to[k], (repeats - 1) * to_step + kBlock, "a destination block");
  }
  run.issue(static_cast<double>(repeats) * chip::kTransposeTile);
  const std::int64_t to_half = run.number(3) ? 16 : 0, from_half = run.number(4) ? 16 : 0;
  for (std::int64_t r = 0; r < repeats; ++r) {
    Bytes tile(512);  // 16 destination blocks
    for (std::int64_t j = 0; j < 16; ++j)
      for (std::int64_t i = 0; i < (size == 4 ? 8 : 16); ++i) {
        const std::int64_t block = size == 4 ? 2 * i + j / 8 : i, element = size == 4 ? j % 8 : j;
        const std::int64_t source = size == 1 ? from_half + i : i * size;
        const std::int64_t target = size == 1 ? to_half + element : element * size;
        tile.take(run, from[j], r * from_step + source, block * kBlock + target, size);
      }
    for (std::int64_t k = 0; k < 16; ++k)
      tile.give(run, to[k], r * to_step + (size == 1 ? to_half : 0), k * kBlock + (size == 1 ? to_half : 0),
                size == 1 ? 16 : kBlock);
  }
  return 0;
}

// tensor: dst, src, temporary; number: sizes of four axes of src, and where each axis of dst comes from.
std::uint64_t transpose_shape(SpecialRun& run) {
  const auto size = size_of(run.call.type);
  std::array<std::int64_t, 4> shape{}, order{}, step{};
  if (!run.fits({run.number(0), run.number(1), run.number(2), run.number(3)})) return 0;
  std::int64_t total = 1;
  for (int k = 3; k >= 0; --k) {
    shape[static_cast<std::size_t>(k)] = run.number(k);
    order[static_cast<std::size_t>(k)] = run.number(4 + k);
    step[static_cast<std::size_t>(k)] = total;
    total *= run.number(k);
  }
  if (total <= 0) return 0;
  auto axes = order;
  std::ranges::sort(axes);
  if (axes != std::array<std::int64_t, 4>{0, 1, 2, 3})
    run.refuse("the order of the axes does not name each of the four once");
  run.reads(run.tensor(1), total * size, "the source tensor");
  run.writes(run.tensor(0), total * size, "the destination tensor");
  const bool to_nhwc = order[1] == 2;
  run.scratch(run.call.tensor[2], total * size, kgnpu::nchw_temporary(shape[to_nhwc ? 1 : 3], size, to_nhwc),
              "the size depends on cSize: see sharedTmpBuffer on the page of Transpose");
  run.issue(library_cycles(static_cast<double>(total), run.call.type, 4, 0));
  Bytes result(total * size);
  const auto axis = [&](int k) { return static_cast<std::size_t>(order[static_cast<std::size_t>(k)]); };
  std::int64_t at = 0;
  for (std::int64_t a = 0; a < shape[axis(0)]; ++a)
    for (std::int64_t b = 0; b < shape[axis(1)]; ++b)
      for (std::int64_t c = 0; c < shape[axis(2)]; ++c)
        for (std::int64_t d = 0; d < shape[axis(3)]; ++d, ++at)
          result.take(run, run.tensor(1),
                      (a * step[axis(0)] + b * step[axis(1)] + c * step[axis(2)] + d * step[axis(3)]) * size, at * size,
                      size);
  result.give(run, run.tensor(0), 0, 0, total * size);
  return 0;
}

constexpr SpecialRow kTable[] = {{Special::kTranspose16, transpose16},
                                 {Special::kVnchwconv, vnchwconv},
                                 {Special::kTransposeShape, transpose_shape}};

}  // namespace

std::span<const SpecialRow> transpose_table() { return kTable; }

}  // namespace kg::npu
