#include "npu/calls/matrix_product.h"

#include <cmath>

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

namespace kg::npu {
namespace {

constexpr std::int64_t kColumns = 16;
constexpr int kRows = 6;  // whose 12 vectors of C stay in registers

// `rows` rows of one column of 16, over all of k.
#if defined(__AVX2__) && defined(__FMA__)

template <int rows>
void tile(std::int64_t k, const float* a, std::int64_t a_stride, const float* b, float* c) {
  __m256 sum[rows][2];
  for (int r = 0; r < rows; ++r) {
    sum[r][0] = _mm256_loadu_ps(c + r * kColumns);
    sum[r][1] = _mm256_loadu_ps(c + r * kColumns + 8);
  }
  for (std::int64_t i = 0; i < k; ++i) {
    const __m256 left = _mm256_loadu_ps(b + i * kColumns), right = _mm256_loadu_ps(b + i * kColumns + 8);
    for (int r = 0; r < rows; ++r) {
      const __m256 one = _mm256_broadcast_ss(a + r * a_stride + i);
      sum[r][0] = _mm256_fmadd_ps(one, left, sum[r][0]);
      sum[r][1] = _mm256_fmadd_ps(one, right, sum[r][1]);
    }
  }
  for (int r = 0; r < rows; ++r) {
    _mm256_storeu_ps(c + r * kColumns, sum[r][0]);
    _mm256_storeu_ps(c + r * kColumns + 8, sum[r][1]);
  }
}

template <int rows>
void tile(std::int64_t k, const std::int16_t* a, std::int64_t a_stride, const std::int16_t* b, std::int32_t* c) {
  __m256i sum[rows][2];
  for (int r = 0; r < rows; ++r)
    for (int h = 0; h < 2; ++h)
      sum[r][h] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(c + r * kColumns + 8 * h));
  for (std::int64_t i = 0; i < k; i += 2) {
    const auto* pairs = reinterpret_cast<const __m256i*>(b + i * kColumns);
    const __m256i left = _mm256_loadu_si256(pairs), right = _mm256_loadu_si256(pairs + 1);
    for (int r = 0; r < rows; ++r) {
      const std::int16_t* pair = a + r * a_stride + i;
      const __m256i one = _mm256_set1_epi32(static_cast<std::uint16_t>(pair[0]) |
                                            static_cast<int>(static_cast<unsigned>(pair[1]) << 16));
      sum[r][0] = _mm256_add_epi32(sum[r][0], _mm256_madd_epi16(one, left));
      sum[r][1] = _mm256_add_epi32(sum[r][1], _mm256_madd_epi16(one, right));
    }
  }
  for (int r = 0; r < rows; ++r)
    for (int h = 0; h < 2; ++h) _mm256_storeu_si256(reinterpret_cast<__m256i*>(c + r * kColumns + 8 * h), sum[r][h]);
}

#else

template <int rows>
void tile(std::int64_t k, const float* a, std::int64_t a_stride, const float* b, float* c) {
  for (int r = 0; r < rows; ++r)
    for (std::int64_t i = 0; i < k; ++i)
      for (std::int64_t j = 0; j < kColumns; ++j)
        c[r * kColumns + j] = std::fma(a[r * a_stride + i], b[i * kColumns + j], c[r * kColumns + j]);
}

template <int rows>
void tile(std::int64_t k, const std::int16_t* a, std::int64_t a_stride, const std::int16_t* b, std::int32_t* c) {
  for (int r = 0; r < rows; ++r)
    for (std::int64_t i = 0; i < k; ++i)
      for (std::int64_t j = 0; j < kColumns; ++j) {
        const std::int32_t product = a[r * a_stride + i] * b[i / 2 * 2 * kColumns + 2 * j + i % 2];
        std::int32_t& sum = c[r * kColumns + j];
        sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) + static_cast<std::uint32_t>(product));
      }
}

#endif

template <typename In, typename Out>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const In* a, const In* b, Out* c, std::int64_t c_rows) {
  for (std::int64_t column = 0; column * kColumns < n; ++column) {
    const In* panel = b + column * k * kColumns;
    std::int64_t row = 0;
    const auto at = [&] { return c + (column * c_rows + row) * kColumns; };
    for (; row + kRows <= m; row += kRows) tile<kRows>(k, a + row * k, k, panel, at());
    for (; row < m; ++row) tile<1>(k, a + row * k, k, panel, at());
  }
}

}  // namespace

void multiply_floats(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, float* c,
                     std::int64_t c_rows) {
  multiply(m, n, k, a, b, c, c_rows);
}

void multiply_integers(std::int64_t m, std::int64_t n, std::int64_t k, const std::int16_t* a, const std::int16_t* b,
                       std::int32_t* c, std::int64_t c_rows) {
  multiply(m, n, k, a, b, c, c_rows);
}

}  // namespace kg::npu
