#include "npu/calls/quantise_lane.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "npu/headers/kgnpu/number.h"

namespace kg::npu {
namespace {

using kgnpu::Type;

// QuantMode_t, as documented for the instruction.
enum Quantisation : std::uint8_t {
  kNone = 0,
  kFloatToHalf = 1,
  kIntToByteVector = 8,  // VREQ8
  kIntToByte = 9,        // REQ8
  kIntToHalfVector = 10,
  kIntToHalf = 11,
  kFloatToBfloat16 = 16,
  kFloatToByteVector = 23,  // VQF322B8_PRE
  kFloatToByte = 24,
};

// A scale word: bits 13 to 31 are those of a float, bits 37 to 45 a signed offset.
struct Scale {
  float factor;
  int offset;
};
Scale scale_of(std::uint64_t word) {
  const int raw = static_cast<int>(word >> 37 & 0x1FF);
  return {kgnpu::float_of_bits(static_cast<std::uint32_t>(word) & 0xFFFFE000u), raw >= 256 ? raw - 512 : raw};
}

}  // namespace

bool per_column(std::uint8_t mode) {
  return mode == kIntToByteVector || mode == kIntToHalfVector || mode == kFloatToByteVector;
}

bool takes_scale(std::uint8_t mode) {
  return per_column(mode) || mode == kIntToByte || mode == kIntToHalf || mode == kFloatToByte;
}

bool quantisation_fits(std::uint8_t mode, Type src, Type dst) {
  const bool bytes = dst == Type::kInt8 || dst == Type::kUint8;
  switch (mode) {
    case kNone:
      return src == dst;
    case kFloatToHalf:
      return src == Type::kFloat && dst == Type::kHalf;
    case kFloatToBfloat16:
      return src == Type::kFloat && dst == Type::kBfloat16;
    case kIntToHalf:
    case kIntToHalfVector:
      return src == Type::kInt32 && dst == Type::kHalf;
    case kIntToByte:
    case kIntToByteVector:
      return src == Type::kInt32 && bytes;
    case kFloatToByte:
    case kFloatToByteVector:
      return src == Type::kFloat && bytes;
    default:
      return false;
  }
}

std::uint32_t quantised(std::uint8_t mode, Type src, Type dst, bool relu, const std::uint8_t* from,
                        std::uint64_t word) {
  std::uint32_t bits;
  std::memcpy(&bits, from, 4);
  const bool is_integer = src == Type::kInt32;
  if (mode == kNone) {
    if (relu && (bits >> 31) != 0 && (is_integer || (bits & 0x7FFFFFFFu) <= 0x7F800000u)) return 0;
    return bits;
  }
  float value = is_integer ? static_cast<float>(static_cast<std::int32_t>(bits)) : kgnpu::float_of_bits(bits);
  Scale scale{1.0f, 0};
  if (mode != kFloatToHalf && mode != kFloatToBfloat16) {
    scale = scale_of(word);
    value *= scale.factor;
  }
  if (relu && value < 0) value = 0;
  if (dst == Type::kHalf) return kgnpu::half_bits(value);
  if (dst == Type::kBfloat16) return kgnpu::bfloat16_bits(value);
  const double low = dst == Type::kInt8 ? -128 : 0, high = dst == Type::kInt8 ? 127 : 255;
  const double rounded = std::isnan(value) ? 0 : std::nearbyint(static_cast<double>(value)) + scale.offset;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(std::clamp(rounded, low, high)));
}

}  // namespace kg::npu
