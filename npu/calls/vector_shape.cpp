#include "npu/calls/vector_shape.h"

#include <algorithm>

#include "npu/calls/rate_table.h"

namespace kg::npu {
namespace {

using kgnpu::Masking;

constexpr std::int32_t kMostRepeats = chip::kMostRepeats;

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

// "First n": contiguous, as many repeats as needed.
void take_first(Core& core, const kgnpu::VectorCall& call, const std::vector<Operand>& operands, bool keep_repeats,
                Shape& shape) {
  shape.total = std::max(call.count, 0);
  if (shape.total > UnifiedBuffer::kBytes)
    core.fail(FaultClass::kUb, operation(call.op).name, ": the count is ", shape.total,
              " elements, more than UB holds; work on smaller tiles");
  shape.repeats = (shape.total + shape.per_repeat - 1) / shape.per_repeat;
  const std::int64_t step = keep_repeats ? shape.per_repeat : shape.total;
  for (std::int64_t at = 0, r = 0; at < shape.total; at += step, ++r) {
    Piece piece{r, 0, std::min(step, shape.total - at), {}};
    for (std::size_t k = 0; k < operands.size(); ++k) piece.offset[k] = at * operands[k].size;
    shape.pieces.push_back(piece);
  }
}

// The lanes of each repeat that the mask leaves.
struct Active {
  std::vector<Lanes> lanes;
  std::int64_t counted = -1;  // counter mode: elements in all

  bool whole_repeats(const Shape& shape) const {
    return lanes.size() == 1 && lanes[0].begin == 0 && lanes[0].end == shape.per_repeat;
  }
};

// Sets the shape's repeats too.
Active active_lanes(Core& core, const kgnpu::VectorCall& call, Shape& shape) {
  Active active;
  shape.repeats = std::clamp(call.repeat, 0, kMostRepeats);
  if (core.counter_mode) {
    active.counted =
        static_cast<std::int64_t>(call.masking == Masking::kMaskCount ? call.mask[0] : core.mask[0] & 0xFFFFFFFFu);
    if (active.counted < 0 || active.counted > UnifiedBuffer::kBytes)
      core.fail(FaultClass::kUb, operation(call.op).name, ": the counter mode's mask asks for ",
                static_cast<std::uint64_t>(active.counted),
                " elements, more than UB holds; give the number of elements, or SetMaskNorm for bits");
    shape.repeats = (active.counted + shape.per_repeat - 1) / shape.per_repeat;
    active.lanes.push_back({0, shape.per_repeat});
  } else if (call.masking == Masking::kMaskCount) {
    const auto n =
        std::min<std::int64_t>(static_cast<std::int64_t>(std::min<std::uint64_t>(call.mask[0], 256)), shape.per_repeat);
    if (n > 0) active.lanes.push_back({0, n});
    if (call.mask[0] > static_cast<std::uint64_t>(shape.per_repeat))
      core.warning(FaultClass::kArgument, operation(call.op).name, ": the mask asks for ", call.mask[0],
                   " elements of a repeat, which has ", shape.per_repeat,
                   " of the widest type; give more repeats instead");
  } else if (call.masking == Masking::kMaskBits) {
    active.lanes = runs_of_bits(call.mask[0], call.mask[1], shape.per_repeat);
  } else {
    active.lanes = runs_of_bits(core.mask[0], core.mask[1], shape.per_repeat);
  }
  if (active.lanes.empty() && call.repeat > 0)
    core.warning(FaultClass::kArgument, operation(call.op).name,
                 ": the mask is 0, so the call computes nothing; a mask has at least one element");
  if (call.repeat > kMostRepeats)
    core.error(FaultClass::kUb, operation(call.op).name, ": repeatTime is at most ", kMostRepeats);
  return active;
}

// Cuts the active lanes of each repeat every `block` elements, after which some operand may jump.
void cut_pieces(const Active& active, const std::vector<Operand>& operands, std::int64_t block, Shape& shape) {
  for (std::int64_t r = 0; r < shape.repeats; ++r) {
    for (const Lanes& run : active.lanes) {
      std::int64_t end = run.end;
      if (active.counted >= 0) end = std::min(end, active.counted - r * shape.per_repeat);
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
}

}  // namespace

Shape shape_of(Core& core, const kgnpu::VectorCall& call, const std::vector<Operand>& operands, bool keep_repeats) {
  Shape shape;
  std::int64_t widest = 1;
  for (const Operand& operand : operands) widest = std::max(widest, operand.size);
  shape.per_repeat = chip::kRepeatBytes / widest;
  if (call.masking == Masking::kFirst) {
    take_first(core, call, operands, keep_repeats, shape);
    return shape;
  }
  const Active active = active_lanes(core, call, shape);
  // Contiguous over a whole repeat in every operand, and from repeat to repeat?
  bool packed = true, packed_repeats = !keep_repeats;
  for (const Operand& operand : operands) {
    packed = packed && operand.stride.block == 1;
    packed_repeats = packed_repeats && operand.stride.repeat * 32 == shape.per_repeat * operand.size;
  }
  if (packed && packed_repeats && active.whole_repeats(shape)) {
    shape.total = active.counted >= 0 ? active.counted : shape.repeats * shape.per_repeat;
    if (shape.total > 0) shape.pieces.push_back({0, 0, shape.total, {}});
    return shape;
  }
  std::int64_t block = shape.per_repeat;
  if (!packed)
    for (const Operand& operand : operands) block = std::min(block, 32 / operand.size);
  cut_pieces(active, operands, block, shape);
  return shape;
}

}  // namespace kg::npu
