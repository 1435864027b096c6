#include "policy/model/attention_kernels.h"

#include "policy/model/each_set.h"
#include "policy/model/exponential.h"

namespace kg::policy {

KG_EACH_SET void transpose_words(const void* __restrict x, std::int64_t rows, std::int64_t columns,
                                 void* __restrict y) {
  using Word [[gnu::may_alias]] = std::uint32_t;
  const Word* const from = static_cast<const Word*>(x);
  Word* const to = static_cast<Word*>(y);
  for (std::int64_t j = 0; j < columns; ++j)
#pragma omp simd
    for (std::int64_t i = 0; i < rows; ++i) to[j * rows + i] = from[i * columns + j];
}

KG_EACH_SET void transpose_halves(const std::uint16_t* __restrict x, std::int64_t rows, std::int64_t columns,
                                  std::uint16_t* __restrict y) {
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < rows; ++i) y[j * rows + i] = x[i * columns + j];
}

KG_EACH_SET void pair_rows(const std::uint16_t* __restrict x, std::int64_t rows, std::int64_t columns,
                           std::uint16_t* __restrict y) {
  for (std::int64_t i = 0; i < rows; i += 2, x += 2 * columns, y += 2 * columns)
#pragma omp simd
    for (std::int64_t j = 0; j < columns; ++j) {
      y[2 * j] = x[j];
      y[2 * j + 1] = x[columns + j];
    }
}

KG_EACH_SET float product_of_rows(const float* __restrict x, const float* __restrict y, std::int64_t n) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

KG_EACH_SET void scale_row(float* __restrict x, std::int64_t n, float factor) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) x[i] *= factor;
}

KG_EACH_SET float softmax_piece(float* __restrict scores, std::int64_t n, std::int64_t width, float scale,
                                float* highest, float* sum) {
  float top = scores[0];
#pragma omp simd reduction(max : top)
  for (std::int64_t i = 0; i < n; ++i) top = scores[i] > top ? scores[i] : top;
  const float scaled = top * scale, now = scaled > *highest ? scaled : *highest;
  float added = 0;
#pragma omp simd reduction(+ : added)
  for (std::int64_t i = 0; i < n; ++i) {
    const float p = exponential(scores[i] * scale - now);
    scores[i] = p;
    added += p;
  }
  for (std::int64_t i = n; i < width; ++i) scores[i] = 0;
  const float correction = exponential(*highest - now);
  *sum = *sum * correction + added;
  *highest = now;
  return correction;
}

KG_EACH_SET void score_gradient_row(float* __restrict scores, float* __restrict dp, const float* __restrict log_sums,
                                    const float* __restrict deltas, std::int64_t first, std::int64_t n, float scale) {
  for (std::int64_t i = 0; i < first; ++i) scores[i] = dp[i] = 0;
#pragma omp simd
  for (std::int64_t i = first; i < n; ++i) {
    const float p = exponential(scores[i] * scale - log_sums[i]);
    scores[i] = p;
    dp[i] = p * (dp[i] - deltas[i]) * scale;
  }
}

}  // namespace kg::policy
