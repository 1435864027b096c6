#pragma once

#include <cstdint>

namespace kg::npu {

// Special registers of a core that vector calls write and later calls read.
struct SpecialState {
  std::uint64_t gathered = 0;    // elements that the last GatherMask kept
  std::uint64_t merged[4] = {};  // elements that the last MrgSort took from each list
  bool has_deq_scale = false;
  float deq_scale = 1;          // SetDeqScale: int32_t to half, int16_t to int8_t
  std::int32_t deq_offset = 0;  // offset for the int16_t conversions
  bool deq_signed = true;       // whether these give int8_t, not uint8_t
  bool deq_by_lane = false;     // SetDeqScale with a tensor: one of each for each lane of a block instead
  float deq_scales[16] = {};
  std::int32_t deq_offsets[16] = {};
  bool deq_signs[16] = {};
  std::uint64_t addresses[8][8] = {};  // VA0 to VA7: UB pointers for scatter_vnchwconv
  std::uint64_t spill_at = 0;          // InitSpmBuffer: an address in GM
  std::int64_t spill_bytes = 0;
  bool has_pad_value = false;
  std::uint64_t pad_value = 0;  // for copies that pad without naming a value
};

}  // namespace kg::npu
