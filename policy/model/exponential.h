#pragma once

#include <bit>
#include <cstdint>

namespace kg::policy {

// exp to 2 units in the last place, 0 below -87, NaN of NaN; x = n ln2 + r with a polynomial in r (Cephes' expf). For
// loops that the compiler vectorises.
[[gnu::always_inline]] inline float exponential(float x) {
  const float low = 88.0f < x ? 88.0f : x, bounded = low < -87.0f ? -87.0f : low;  // NaN stays NaN
  // Adding 1.5 * 2^23 rounds to the nearest integer and leaves it in the low bits of the mantissa.
  const float shifted = bounded * 1.44269504088896341f + 12582912.0f;
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

}  // namespace kg::policy
