#include "npu/calls/convert.h"

#include "npu/headers/kgnpu/number.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace kg::npu {

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
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
#endif
  for (; i < n; ++i) to[i] = kgnpu::half_bits(from[i]);
}

std::uint16_t half_of_double(double value) { return kgnpu::half_bits(float_to_odd(value)); }

}  // namespace kg::npu
