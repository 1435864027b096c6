// Special registers that calls read and write: the comparison mask, the scales of the quantising casts.

#include <bit>
#include <cmath>
#include <cstring>

#include "npu/calls/non_elementwise.h"
#include "npu/calls/rate_table.h"

namespace kg::npu {
namespace {

using kgnpu::Special;
using kgnpu::Type;

// tensor: src, 128 bits.
std::uint64_t set_compare_mask(SpecialRun& run) {
  run.reads(run.tensor(0), 16, "the source tensor");
  run.issue(1);
  std::memcpy(run.core.compare_bits, run.at(run.tensor(0), 0), 16);
  return 0;
}

// tensor: dst, 128 bits.
std::uint64_t get_compare_mask(SpecialRun& run) {
  run.writes(run.tensor(0), 16, "the destination tensor");
  run.issue(1);
  std::memcpy(run.at(run.tensor(0), 0), run.core.compare_bits, 16);
  run.define(run.tensor(0), 0, 16, true);
  return 0;
}

// number: bits of the scale as float, offset, whether the result is signed; or, if the fourth says so, pointers to 16
// of each.
std::uint64_t set_deq_scale(SpecialRun& run) {
  SpecialState& state = run.core.special;
  if (run.number(3) == 0) {
    state.deq_scale = std::bit_cast<float>(static_cast<std::uint32_t>(run.call.number[0]));
    state.deq_offset = static_cast<std::int32_t>(run.call.number[1]);
    return 0;
  }
  std::memcpy(state.deq_scales, reinterpret_cast<const void*>(run.call.number[0]), sizeof(state.deq_scales));
  const auto* offsets = reinterpret_cast<const std::int16_t*>(run.call.number[1]);
  for (int k = 0; k < 16; ++k) state.deq_offsets[k] = offsets[k];
  return 0;
}

// tensor: dst (int8_t or uint8_t), src (int16_t); number: count, whether a scale for each lane of a block of 16.
// dst = saturate(round(src * scale) + offset).
std::uint64_t cast_deq(SpecialRun& run) {
  const std::int64_t count = run.number(0);
  if (count <= 0) return 0;
  const SpecialState& state = run.core.special;
  run.reads(run.tensor(1), count * 2, "the source tensor");
  run.writes(run.tensor(0), count, "the destination tensor");
  run.issue(std::ceil(static_cast<double>(count) / 128));
  for (std::int64_t i = 0; i < count; ++i) {
    const bool vector = run.number(1) != 0;
    const double scale = vector ? state.deq_scales[i % 16] : state.deq_scale;
    const double offset = vector ? state.deq_offsets[i % 16] : state.deq_offset;
    const double value = std::nearbyint(run.get(run.tensor(1), Type::kInt16, i) * scale) + offset;
    run.put(run.tensor(0), run.call.type, i, value, run.defined(run.tensor(1), i * 2, 2));
  }
  return 0;
}

constexpr SpecialRow kTable[] = {{Special::kSetCompareMask, set_compare_mask},
                                 {Special::kGetCompareMask, get_compare_mask},
                                 {Special::kSetDeqScale, set_deq_scale},
                                 {Special::kCastDeq, cast_deq}};

}  // namespace

std::span<const SpecialRow> register_table() { return kTable; }

}  // namespace kg::npu
