#pragma once

#include <bit>
#include <cstdint>

namespace kg::policy {

constexpr float kLog2OfE = 1.44269504088896341f;

// exp to 2 units in the last place, 0 below -87, NaN for NaN; x = n ln2 + r with a polynomial in r (Cephes' expf). For
// loops that the compiler vectorises.
[[gnu::always_inline]] inline float exponential(float x) {
  const float low = 88.0f < x ? 88.0f : x, bounded = low < -87.0f ? -87.0f : low;  // NaN stays NaN
  // Adding 1.5 * 2^23 rounds to the nearest integer and leaves it in the low bits of the mantissa.
  const float shifted = bounded * kLog2OfE + 12582912.0f;
  const float n = shifted - 12582912.0f;
  const float r = (bounded - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const std::uint32_t power = (std::bit_cast<std::uint32_t>(shifted) << 23) + (127u << 23);
  return x < -87.0f ? 0.0f : p * std::bit_cast<float>(power);
}

// 2^x with a relative error of at most 2^-18, for values rounded to bf16 (2^-9) afterwards; 0 at -127 and below, NaN
// for NaN; x at most 127. 2^x = 2^n 2^r with n the nearest integer, and the polynomial in r that is nearest to 2^r
// (Remez).
[[gnu::always_inline]] inline float power_of_two(float x) {
  const float bounded = -127.0f > x ? -127.0f : x;  // NaN stays NaN
  const float shifted = bounded + 12582912.0f;      // as above
  const float r = bounded - (shifted - 12582912.0f);
  float p = 9.5701019081e-3f;
  p = p * r + 5.5917860319e-2f;
  p = p * r + 2.4024744828e-1f;
  p = p * r + 6.9312181474e-1f;
  p = p * r + 9.9999926145e-1f;
  return p * std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) << 23) + (127u << 23));
}

}  // namespace kg::policy
