// Gather, Gatherb, GatherMask, Brcb, CreateVecIndex: calls whose source elements are chosen by numbers.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "npu/calls/non_elementwise.h"
#include "npu/calls/rate_table.h"
#include "npu/calls/vector_shape.h"
#include "npu/chip.h"

namespace kg::npu {
namespace {

using kgnpu::Special;

constexpr std::int64_t kBlock = UnifiedBuffer::kUnit;

// The destination's lanes of a call in one of the vector forms; number: count or repeat, block stride, repeat stride.
Shape destination_shape(SpecialRun& run, int count_at) {
  kgnpu::VectorCall form;
  form.masking = run.call.masking;
  form.mask[0] = run.call.mask[0];
  form.mask[1] = run.call.mask[1];
  form.count = static_cast<std::int32_t>(run.number(count_at));
  form.repeat = static_cast<std::int32_t>(run.number(count_at));
  form.dst_type = run.call.type;
  if (run.call.masking == kgnpu::Masking::kFirst && !run.fits({run.number(count_at)})) return {};
  const kgnpu::Stride stride{static_cast<std::uint16_t>(run.number(count_at + 1)),
                             static_cast<std::uint16_t>(run.number(count_at + 2))};
  return shape_of(run.core, form, {{run.call.tensor[0], size_of(run.call.type), stride, "the destination tensor"}},
                  /*keep_repeats=*/true);
}

std::int64_t reach(const Shape& shape, std::int64_t size) {
  std::int64_t end = 0;
  for (const Piece& piece : shape.pieces) end = std::max(end, piece.offset[0] + piece.n * size);
  return end;
}

std::uint32_t offset_at(const SpecialRun& run, std::int64_t i) {
  std::uint32_t offset;
  std::memcpy(&offset, run.at(run.tensor(2), i * 4), 4);
  return offset;
}

// Repeats overlap in time: none may write where a later one reads.
void check_gathers_apart(SpecialRun& run, const Shape& shape, std::int64_t size, std::int64_t end) {
  const std::int64_t to = run.tensor(0).address, from = run.tensor(1).address;
  if (shape.repeats <= 1 || to >= from + end || from + run.number(0) >= to + reach(shape, size)) return;
  std::map<std::int64_t, std::int64_t> written;  // by address: the repeat
  for (const Piece& piece : shape.pieces)
    for (std::int64_t i = 0; i < piece.n; ++i) {
      const std::int64_t lane = piece.repeat * shape.per_repeat + piece.element + i;
      const std::int64_t at = from + run.number(0) + offset_at(run, lane);
      const auto found = written.find(at);
      if (found != written.end() && found->second < piece.repeat && run.defined(run.tensor(2), lane * 4, 4))
        return run.error(FaultClass::kUb, "repeat ", found->second,
                         " writes where a later repeat of the same call reads; use another destination");
      written.emplace(to + piece.offset[0] + i * size, piece.repeat);
    }
}

// tensor: dst, src, offsets in bytes; number: base address, count or repeat, 1, repeat stride.
std::uint64_t gather(SpecialRun& run) {
  const std::int64_t size = size_of(run.call.type);
  const Shape shape = destination_shape(run, 1);
  if (shape.pieces.empty()) return 0;
  const Piece& last = shape.pieces.back();
  run.reads(run.tensor(2), (last.repeat * shape.per_repeat + last.element + last.n) * 4, "the offset tensor");
  run.reads(run.tensor(1), 0, "the source tensor");
  run.writes(run.tensor(0), reach(shape, size), "the destination tensor");
  // The source range is known only from the offsets that are defined: padding lanes hold anything.
  std::int64_t end = 0;
  bool misaligned = false;
  const auto each = [&](auto&& visit) {
    for (const Piece& piece : shape.pieces)
      for (std::int64_t i = 0; i < piece.n; ++i) {
        const std::int64_t lane = piece.repeat * shape.per_repeat + piece.element + i;
        visit(piece.offset[0] + i * size, run.number(0) + offset_at(run, lane),
              run.defined(run.tensor(2), lane * 4, 4));
      }
  };
  each([&](std::int64_t, std::int64_t from, bool known) {
    if (!known) return;
    end = std::max(end, from + size);
    misaligned = misaligned || from % size != 0;
  });
  if (misaligned)
    run.error(FaultClass::kUb, "an offset is not a multiple of the element's ", size,
              " bytes; offsets are in bytes, so multiply the index by sizeof(T)");
  run.reads(run.tensor(1), end, "the source tensor");
  check_gathers_apart(run, shape, size, end);
  run.issue(static_cast<double>(shape.total) / chip::kGatherElements);
  each([&](std::int64_t to, std::int64_t from, bool known) {
    if (known && from + size <= UnifiedBuffer::kBytes - run.tensor(1).address)
      run.copy(run.tensor(0), to, run.tensor(1), from, size);
    else
      run.define(run.tensor(0), to, size, false);
  });
  return 0;
}

// tensor: dst, src, offsets of blocks in bytes; number: repeat, block stride and repeat stride of dst.
std::uint64_t gatherb(SpecialRun& run) {
  const std::int64_t repeats = run.number(0), blocks = repeats * 8;
  if (repeats <= 0) return 0;
  run.reads(run.tensor(2), blocks * 4, "the offset tensor");
  run.writes(run.tensor(0), ((repeats - 1) * run.number(2) + 7 * run.number(1) + 1) * kBlock, "the destination tensor");
  std::int64_t end = 0;
  bool misaligned = false;
  for (std::int64_t b = 0; b < blocks; ++b) {
    if (!run.defined(run.tensor(2), b * 4, 4)) continue;
    end = std::max(end, std::int64_t{offset_at(run, b)} + kBlock);
    misaligned = misaligned || offset_at(run, b) % kBlock != 0;
  }
  if (misaligned) run.error(FaultClass::kUb, "an offset is not a multiple of 32 bytes; Gatherb gathers whole blocks");
  run.reads(run.tensor(1), end, "the source tensor");
  run.issue(static_cast<double>(repeats));
  for (std::int64_t b = 0; b < blocks; ++b) {
    const std::int64_t to = (b / 8 * run.number(2) + b % 8 * run.number(1)) * kBlock;
    if (run.defined(run.tensor(2), b * 4, 4) &&
        std::int64_t{offset_at(run, b)} + kBlock <= UnifiedBuffer::kBytes - run.tensor(1).address)
      run.copy(run.tensor(0), to, run.tensor(1), offset_at(run, b), kBlock);
    else
      run.define(run.tensor(0), to, kBlock, false);
  }
  return 0;
}

// tensor: dst, src, pattern or null; number: pattern number, whether the mask counts, elements a repeat, block stride
// of src, repeats, repeat stride of src and of the pattern. Returns the elements kept.
std::uint64_t gather_mask(SpecialRun& run) {
  const std::int64_t size = size_of(run.call.type), in_block = kBlock / size;
  const bool counted = run.number(1) != 0;
  const std::int64_t per_repeat = counted ? run.number(2) : 256 / size;
  const std::int64_t repeats = run.number(4);
  // The call itself sets and leaves the mask in normal mode.
  run.core.counter_mode = false;
  run.core.mask[0] = run.core.mask[1] = ~0ULL;
  run.core.special.gathered = 0;
  if (repeats <= 0 || per_repeat <= 0 || !run.fits({per_repeat})) return 0;
  if (repeats * per_repeat * size > 64 * UnifiedBuffer::kBytes) {
    run.error(FaultClass::kArgument, repeats, " repeats of ", per_repeat, " elements are many times what UB holds");
    return 0;
  }
  const auto source = [&](std::int64_t r, std::int64_t i) {
    return (r * run.number(5) + i / in_block * run.number(3)) * kBlock + i % in_block * size;
  };
  run.reads(run.tensor(1), source(repeats - 1, per_repeat - 1) + size, "the source tensor");
  if (run.has(2))
    run.reads(run.tensor(2), (repeats - 1) * run.number(6) * kBlock + (per_repeat + 7) / 8, "the pattern tensor");
  else if (run.number(0) < 1 || run.number(0) > 7)
    run.error(FaultClass::kArgument, "src1Pattern ", run.number(0), " is not one of the patterns 1 to 7");
  const auto keeps = [&](std::int64_t r, std::int64_t i) {
    if (run.has(2)) return (*run.at(run.tensor(2), r * run.number(6) * kBlock + i / 8) >> i % 8 & 1) != 0;
    const std::int64_t pattern = run.number(0);
    if (pattern <= 2) return i % 2 == pattern - 1;  // 1: even elements, 2: odd ones
    if (pattern <= 6) return i % 4 == pattern - 3;  // one of four
    return true;
  };
  struct Kept {
    std::int64_t from;
    bool known;
  };
  std::vector<Kept> kept;
  for (std::int64_t r = 0; r < repeats; ++r)
    for (std::int64_t i = 0; i < per_repeat; ++i)
      if (keeps(r, i))
        kept.push_back(
            {source(r, i), !run.has(2) || run.defined(run.tensor(2), r * run.number(6) * kBlock + i / 8, 1)});
  const auto total = static_cast<std::int64_t>(kept.size());
  run.writes(run.tensor(0), total * size, "the destination tensor");
  run.issue(std::ceil(static_cast<double>(repeats * per_repeat * size) / chip::kGatherMaskBytes));
  // The whole source is read before the destination, which may be the same place.
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(total * size)), known(bytes.size());
  for (std::int64_t k = 0; k < total; ++k) {
    const Kept& element = kept[static_cast<std::size_t>(k)];
    std::memcpy(&bytes[static_cast<std::size_t>(k * size)], run.at(run.tensor(1), element.from),
                static_cast<std::size_t>(size));
    std::memset(&known[static_cast<std::size_t>(k * size)],
                element.known && run.defined(run.tensor(1), element.from, size), static_cast<std::size_t>(size));
  }
  std::copy(bytes.begin(), bytes.end(), run.at(run.tensor(0), 0));
  std::copy(known.begin(), known.end(), run.core.ub->defined() + run.tensor(0).address);
  run.core.special.gathered = static_cast<std::uint64_t>(total);
  return static_cast<std::uint64_t>(total);
}

// tensor: dst, src; number: repeat, block stride and repeat stride of dst. Each element fills a block.
std::uint64_t brcb(SpecialRun& run) {
  const std::int64_t size = size_of(run.call.type), repeats = run.number(0);
  if (repeats <= 0) return 0;
  run.reads(run.tensor(1), repeats * 8 * size, "the source tensor");
  run.writes(run.tensor(0), ((repeats - 1) * run.number(2) + 7 * run.number(1) + 1) * kBlock, "the destination tensor");
  run.issue(static_cast<double>(repeats));
  std::vector<std::uint8_t> source(run.at(run.tensor(1), 0), run.at(run.tensor(1), repeats * 8 * size));
  std::vector<bool> known(static_cast<std::size_t>(repeats * 8));
  for (std::int64_t i = 0; i < repeats * 8; ++i)
    known[static_cast<std::size_t>(i)] = run.defined(run.tensor(1), i * size, size);
  for (std::int64_t i = 0; i < repeats * 8; ++i) {
    const std::int64_t to = (i / 8 * run.number(2) + i % 8 * run.number(1)) * kBlock;
    for (std::int64_t k = 0; k < kBlock; k += size)
      std::memcpy(run.at(run.tensor(0), to + k), &source[static_cast<std::size_t>(i * size)],
                  static_cast<std::size_t>(size));
    run.define(run.tensor(0), to, kBlock, known[static_cast<std::size_t>(i)]);
  }
  return 0;
}

double largest_of(kgnpu::Type type) {
  if (type == kgnpu::Type::kInt16) return 32767;
  return type == kgnpu::Type::kInt32 ? 2147483647 : type == kgnpu::Type::kHalf ? 65504 : HUGE_VAL;
}

// tensor: dst; number: count or repeat, block stride, repeat stride; bits of the first value and of the step.
std::uint64_t create_index(SpecialRun& run) {
  const Shape shape = destination_shape(run, 0);
  if (shape.pieces.empty()) return 0;
  const std::int64_t size = size_of(run.call.type);
  run.writes(run.tensor(0), reach(shape, size), "the destination tensor");
  run.issue(static_cast<double>(shape.repeats) + chip::kVectorStart);
  const auto value_of = [&](int k) { return run.scalar(k, run.call.type); };
  const double first = value_of(3), step = value_of(4);
  double last = first;
  for (const Piece& piece : shape.pieces)
    for (std::int64_t i = 0; i < piece.n; ++i) {
      const auto lane = static_cast<double>(piece.repeat * shape.per_repeat + piece.element + i);
      const std::int64_t to = piece.offset[0] + i * size;
      last = first + lane * step;
      store_element(run.at(run.tensor(0), to), run.call.type, last);
      run.define(run.tensor(0), to, size, true);
    }
  if (const double most = largest_of(run.call.type); last > most || last < -most - 1)
    run.core.warning(FaultClass::kArgument, run.call.name, ": the last number is ", static_cast<std::int64_t>(last),
                     ", which does not fit ", type_name(run.call.type));
  return 0;
}

constexpr SpecialRow kTable[] = {{Special::kGather, gather},
                                 {Special::kGatherb, gatherb},
                                 {Special::kGatherMask, gather_mask},
                                 {Special::kBrcb, brcb},
                                 {Special::kCreateIndex, create_index}};

}  // namespace

std::span<const SpecialRow> gather_table() { return kTable; }

}  // namespace kg::npu
