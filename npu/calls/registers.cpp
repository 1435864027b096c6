// Special registers that calls read and write: the comparison mask, the scales of the quantising casts.

#include <bit>
#include <cstring>

#include "npu/calls/non_elementwise.h"

namespace kg::npu {
namespace {

using kgnpu::Special;

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
  state.deq_by_lane = run.number(3) == 1;
  if (!state.deq_by_lane) {
    state.has_deq_scale = true;
    state.deq_scale = std::bit_cast<float>(static_cast<std::uint32_t>(run.call.number[0]));
    state.deq_offset = static_cast<std::int32_t>(run.call.number[1]);
    state.deq_signed = run.number(2) != 0;
    return 0;
  }
  std::memcpy(state.deq_scales, reinterpret_cast<const void*>(run.call.number[0]), sizeof(state.deq_scales));
  const auto* offsets = reinterpret_cast<const std::int16_t*>(run.call.number[1]);
  const auto* signs = reinterpret_cast<const std::uint8_t*>(run.call.number[2]);
  for (int k = 0; k < 16; ++k) {
    state.deq_offsets[k] = offsets[k];
    state.deq_signs[k] = signs[k] != 0;
  }
  return 0;
}

constexpr SpecialRow kTable[] = {{Special::kSetCompareMask, set_compare_mask},
                                 {Special::kGetCompareMask, get_compare_mask},
                                 {Special::kSetDeqScale, set_deq_scale}};

}  // namespace

std::span<const SpecialRow> register_table() { return kTable; }

}  // namespace kg::npu
