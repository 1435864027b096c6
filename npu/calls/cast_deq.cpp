// CastDeq and CastDequant from int16_t: dst = saturate(round(src * scale) + offset), by the registers of SetDeqScale.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "npu/calls/rate_table.h"
#include "npu/calls/vector.h"

namespace kg::npu {
namespace {

constexpr std::int64_t kLanes = 16;  // of a block of the source; their results fill half a block

// The shape over elements of 2 bytes, cut at blocks and with the places of the results: a block's 16 results are in the
// lower or the upper half of a block.
Shape in_half_blocks(const Shape& even, bool upper) {
  Shape shape = even;
  shape.pieces.clear();
  for (const Piece& piece : even.pieces)
    for (std::int64_t i = 0; i < piece.n;) {
      const std::int64_t to = piece.offset[0] + i * 2, lane = to % 32 / 2;
      const std::int64_t n = std::min(piece.n - i, kLanes - lane);
      Piece part{piece.repeat, piece.element + i, n, {}};
      part.offset[0] = to / 32 * 32 + (upper ? kLanes : 0) + lane;
      part.offset[1] = piece.offset[1] + i * 2;
      shape.pieces.push_back(part);
      i += n;
    }
  return shape;
}

void check_register(Core& core, const kgnpu::VectorCall& call) {
  const bool by_lane = core.special.deq_by_lane;
  if ((call.mode != 0) == by_lane) return;
  core.error(FaultClass::kArgument, operation(call.op).name,
             (by_lane ? ": isVecDeq is false, but SetDeqScale was called with a tensor; set isVecDeq"
                      : ": isVecDeq is true (the default), but SetDeqScale was not called with a tensor; call "
                        "SetDeqScale(tensor, vdeqInfo), or set isVecDeq to false"));
}

}  // namespace

void run_cast_deq(Core& core, const kgnpu::VectorCall& call) {
  Operand dst{call.dst, 2, call.dst_stride, "the destination tensor"};
  const Operand src{call.src[0], 2, call.src_stride[0], "the source tensor"};
  const Shape shape = in_half_blocks(shape_of(core, call, {dst, src}, /*keep_repeats=*/false), call.flag != 0);
  if (shape.pieces.empty()) return;
  check_register(core, call);
  if (call.mode == 0) check_deq_scale(core, call);
  dst.size = 1;
  check_operand(core, call, shape, dst, 0);
  check_operand(core, call, shape, src, 1);
  const Instruction instruction = begin_vector(core, call, static_cast<double>(shape.repeats));
  touch_operand(core, call, instruction, shape, src, 1, /*writes=*/false);
  touch_operand(core, call, instruction, shape, dst, 0, /*writes=*/true);

  const SpecialState& state = core.special;
  // Read before anything is written: the tensors may be the same.
  struct Result {
    std::int64_t at;
    std::uint8_t bits;
    bool defined;
  };
  std::vector<Result> results;
  for (const Piece& piece : shape.pieces)
    for (std::int64_t i = 0; i < piece.n; ++i) {
      const std::int64_t from = src.tensor->address + piece.offset[1] + i * 2;
      const std::int64_t at = dst.tensor->address + piece.offset[0] + i;
      const auto lane = static_cast<std::size_t>((piece.offset[1] + i * 2) % 32 / 2);
      const bool by_lane = call.mode != 0;
      const double scale = by_lane ? state.deq_scales[lane] : state.deq_scale;
      const double offset = by_lane ? state.deq_offsets[lane] : state.deq_offset;
      const bool is_signed = by_lane ? state.deq_signs[lane] : state.deq_signed;
      std::int16_t value;
      std::memcpy(&value, core.ub->data() + from, 2);
      const double result = std::nearbyint(value * scale) + offset;
      const double kept =
          result != result ? 0 : std::clamp(result, is_signed ? -128.0 : 0.0, is_signed ? 127.0 : 255.0);
      results.push_back({at, static_cast<std::uint8_t>(static_cast<int>(kept)), core.ub->all_defined(from, 2)});
    }
  for (const Result& one : results) {
    core.ub->data()[one.at] = one.bits;
    core.ub->set_defined(one.at, 1, one.defined);
  }
}

}  // namespace kg::npu
