#include "npu/calls/vector_shape.h"

#include <algorithm>

#include "npu/calls/rate_table.h"

namespace kg::npu {
namespace {

using kgnpu::Masking;

constexpr std::int32_t kMostRepeats = 255;

struct Lanes {
  std::int64_t begin, end;
};

std::vector<Lanes> runs_of_bits(std::uint64_t low, std::uint64_t high, std::int64_t per_repeat) {
  std::vector<Lanes> runs;
  const auto bit = [&](std::int64_t i) { return ((i < 64 ? low >> i : high >> (i - 64)) & 1u) != 0; };
  for (std::int64_t i = 0; i < std::min<std::int64_t>(per_repeat, 128);) {
    if (!bit(i)) {
      ++i;
      continue;
    }
    std::int64_t end = i;
    while (end < std::min<std::int64_t>(per_repeat, 128) && bit(end)) ++end;
    runs.push_back({i, end});
    i = end;
  }
  return runs;
}

}  // namespace

Shape shape_of(Core& core, const kgnpu::VectorCall& call, const std::vector<Operand>& operands, bool keep_repeats) {
  Shape shape;
  std::int64_t widest = 1;
  for (const Operand& operand : operands) widest = std::max(widest, operand.size);
  shape.per_repeat = 256 / widest;

  // "First n": contiguous, as many repeats as it takes.
  if (call.masking == Masking::kFirst) {
    shape.total = std::max(call.count, 0);
    if (shape.total > UnifiedBuffer::kBytes) {
      core.error(FaultClass::kUb, std::string(operation(call.op).name) + ": the count is " +
                                      std::to_string(shape.total) +
                                      " elements, more than UB holds; work on smaller tiles");
      end_kernel();
    }
    shape.repeats = (shape.total + shape.per_repeat - 1) / shape.per_repeat;
    const std::int64_t step = keep_repeats ? shape.per_repeat : shape.total;
    for (std::int64_t at = 0, r = 0; at < shape.total; at += step, ++r) {
      Piece piece{r, 0, std::min(step, shape.total - at), {}};
      for (std::size_t k = 0; k < operands.size(); ++k) piece.offset[k] = at * operands[k].size;
      shape.pieces.push_back(piece);
    }
    return shape;
  }

  std::vector<Lanes> lanes;
  std::int64_t counted = -1;  // counter mode: elements in all
  shape.repeats = std::clamp(call.repeat, 0, kMostRepeats);
  if (core.counter_mode) {
    counted =
        static_cast<std::int64_t>(call.masking == Masking::kMaskCount ? call.mask[0] : core.mask[0] & 0xFFFFFFFFu);
    if (counted < 0 || counted > UnifiedBuffer::kBytes) {
      core.error(FaultClass::kUb,
                 std::string(operation(call.op).name) + ": the counter mode's mask asks for " +
                     std::to_string(static_cast<std::uint64_t>(counted)) +
                     " elements, more than UB holds; give the number of elements, or SetMaskNorm for bits");
      end_kernel();
    }
    shape.repeats = (counted + shape.per_repeat - 1) / shape.per_repeat;
    lanes.push_back({0, shape.per_repeat});
  } else if (call.masking == Masking::kMaskCount) {
    const auto n =
        std::min<std::int64_t>(static_cast<std::int64_t>(std::min<std::uint64_t>(call.mask[0], 256)), shape.per_repeat);
    if (n > 0) lanes.push_back({0, n});
  } else if (call.masking == Masking::kMaskBits) {
    lanes = runs_of_bits(call.mask[0], call.mask[1], shape.per_repeat);
  } else {
    lanes = runs_of_bits(core.mask[0], core.mask[1], shape.per_repeat);
  }
  if (call.repeat > kMostRepeats)
    core.error(FaultClass::kUb, std::string(operation(call.op).name) + ": repeatTime is at most 255");

  // Contiguous over a whole repeat in every operand?
  bool packed = true, packed_repeats = !keep_repeats;
  for (const Operand& operand : operands) {
    packed = packed && operand.stride.block == 1;
    packed_repeats = packed_repeats && operand.stride.repeat * 32 == shape.per_repeat * operand.size;
  }
  const bool full = lanes.size() == 1 && lanes[0].begin == 0 && lanes[0].end == shape.per_repeat;
  if (packed && packed_repeats && full) {
    shape.total = counted >= 0 ? counted : shape.repeats * shape.per_repeat;
    if (shape.total > 0) shape.pieces.push_back({0, 0, shape.total, {}});
    return shape;
  }
  std::int64_t block = shape.per_repeat;  // elements after which some operand may jump
  if (!packed)
    for (const Operand& operand : operands) block = std::min(block, 32 / operand.size);
  for (std::int64_t r = 0; r < shape.repeats; ++r) {
    for (const Lanes& run : lanes) {
      std::int64_t end = run.end;
      if (counted >= 0) end = std::min(end, counted - r * shape.per_repeat);
      for (std::int64_t i = run.begin; i < end;) {
        const std::int64_t stop = std::min(end, (i / block + 1) * block);
        Piece piece{r, i, stop - i, {}};
        for (std::size_t k = 0; k < operands.size(); ++k) {
          const Operand& operand = operands[k];
          const std::int64_t in_block = 32 / operand.size;
          piece.offset[k] =
              (r * operand.stride.repeat + i / in_block * operand.stride.block) * 32 + i % in_block * operand.size;
        }
        shape.pieces.push_back(piece);
        shape.total += piece.n;
        i = stop;
      }
    }
  }
  return shape;
}

}  // namespace kg::npu
