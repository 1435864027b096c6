#include "sandbox/ascendc/runtime/convert.h"

#include <bit>

#include "sandbox/ascendc/include/kgnpu/number.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace kg::sandbox::ascendc {

void widen_half(const std::uint16_t* from, float* to, std::size_t n) {
  std::size_t i = 0;
#if defined(__F16C__)
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
#endif
  for (; i < n; ++i) to[i] = kgnpu::half_value(from[i]);
}

void narrow_half(const float* from, std::uint16_t* to, std::size_t n) {
  std::size_t i = 0;
#if defined(__F16C__)
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
#endif
  for (; i < n; ++i) to[i] = kgnpu::half_bits(from[i]);
}

std::uint16_t half_of_double(double value) {
  // Rounding to odd in float keeps what the second rounding must see: float has two bits more than half needs.
  float rounded = static_cast<float>(value);
  const auto bits = std::bit_cast<std::uint32_t>(rounded);
  if (static_cast<double>(rounded) != value && value == value && (bits & 1u) == 0 && (bits & 0x7FFFFFFFu) < 0x7F800000u) {
    const bool away = (rounded < value) == (value > 0);  // the true magnitude is larger
    rounded = std::bit_cast<float>(away || (bits & 0x7FFFFFFFu) == 0 ? bits + 1 : bits - 1);
  }
  return kgnpu::half_bits(rounded);
}

}  // namespace kg::sandbox::ascendc
