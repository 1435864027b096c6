#pragma once

#include <stdint.h>

// half and bfloat16_t. half converts implicitly and computes per operation with rounding to half; bfloat16_t has no
// arithmetic on the device, only ToFloat and ToBfloat16.

namespace kgnpu {

constexpr uint32_t bits_of_float(float value) { return __builtin_bit_cast(uint32_t, value); }
constexpr float float_of_bits(uint32_t bits) { return __builtin_bit_cast(float, bits); }

// Round to nearest even, from the bits alone: also right for subnormals, infinities and NaN (made quiet).
constexpr uint16_t half_bits(float value) {
  const uint32_t bits = bits_of_float(value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return static_cast<uint16_t>(sign | 0x7E00u | ((magnitude >> 13) & 0x1FFu));
  if (magnitude >= 0x477FF000u) return static_cast<uint16_t>(sign | 0x7C00u);  // rounds to 2^16 or is infinite
  if (magnitude < 0x33000001u) return sign;                                    // at most half the smallest subnormal
  const uint32_t exponent = magnitude >> 23;
  if (exponent >= 113) {
    const uint32_t rebased = magnitude - (112u << 23);
    return static_cast<uint16_t>(sign | ((rebased + 0xFFFu + ((rebased >> 13) & 1u)) >> 13));
  }
  const uint32_t mantissa = (magnitude & 0x7FFFFFu) | 0x800000u;
  const uint32_t shift = 126 - exponent;
  const uint32_t kept = mantissa >> shift;
  const uint32_t rest = mantissa & ((1u << shift) - 1u), middle = 1u << (shift - 1);
  return static_cast<uint16_t>(sign | (kept + ((rest > middle || (rest == middle && (kept & 1u))) ? 1u : 0u)));
}

constexpr float half_value(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t magnitude = bits & 0x7FFFu;
  if (magnitude >= 0x7C00u) return float_of_bits(sign | 0x7F800000u | ((magnitude & 0x3FFu) << 13));
  if (magnitude >= 0x0400u) return float_of_bits(sign | ((magnitude << 13) + (112u << 23)));
  const float small = static_cast<float>(magnitude) * 0x1p-24f;
  return sign ? -small : small;
}

constexpr uint16_t bfloat16_bits(float value) {
  const uint32_t bits = bits_of_float(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

constexpr float bfloat16_value(uint16_t bits) { return float_of_bits(static_cast<uint32_t>(bits) << 16); }

}  // namespace kgnpu
