#include "policy/model/attention_kernels.h"

#include "policy/model/bfloat16_bits.h"
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
                                  std::int64_t stride, std::uint16_t* __restrict y) {
  using Word [[gnu::may_alias]] = std::uint32_t;
  constexpr std::int64_t kPairs = 16, kColumns = 64;  // size of a block: pairs of rows, which move as one word
  Word block[kPairs * kColumns];
  Word* const to = reinterpret_cast<Word*>(y);
  const std::int64_t pairs = rows / 2;
  for (std::int64_t column = 0; column < columns; column += kColumns)
    for (std::int64_t pair = 0; pair < pairs; pair += kPairs) {
      const std::int64_t wide = columns - column < kColumns ? columns - column : kColumns;
      const std::int64_t high = pairs - pair < kPairs ? pairs - pair : kPairs;
      for (std::int64_t i = 0; i < high; ++i) {
        const std::uint16_t* const even = x + 2 * (pair + i) * stride + column;
#pragma omp simd
        for (std::int64_t j = 0; j < wide; ++j)
          block[i * kColumns + j] = even[j] | static_cast<std::uint32_t>(even[stride + j]) << 16;
      }
      for (std::int64_t j = 0; j < wide; ++j)
#pragma omp simd
        for (std::int64_t i = 0; i < high; ++i) to[(column + j) * pairs + pair + i] = block[i * kColumns + j];
    }
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

KG_EACH_SET float softmax_piece(const float* __restrict scores, std::int64_t n, std::int64_t width, float scale,
                                float* highest, float* sum, std::uint16_t* __restrict p) {
  float top = scores[0];
#pragma omp simd reduction(max : top)
  for (std::int64_t i = 0; i < n; ++i) top = scores[i] > top ? scores[i] : top;
  const float scaled = top * scale, now = scaled > *highest ? scaled : *highest;
  const float to_twos = scale * kLog2OfE, now_in_twos = now * kLog2OfE;
  float added = 0;
#pragma omp simd reduction(+ : added)
  for (std::int64_t i = 0; i < n; ++i) {
    const float one = power_of_two(scores[i] * to_twos - now_in_twos);
    p[i] = static_cast<std::uint16_t>(bfloat16_bits(one));
    added += one;
  }
  for (std::int64_t i = n; i < width; ++i) p[i] = 0;
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

KG_EACH_SET void score_gradient_pair(const float* __restrict scores, const float* __restrict dp,
                                     const float* __restrict log_sums, const float* __restrict deltas,
                                     std::int64_t first, std::int64_t second, std::int64_t n, float scale,
                                     std::uint16_t* __restrict p, std::uint16_t* __restrict ds,
                                     std::uint16_t* __restrict pairs) {
  using Word [[gnu::may_alias]] = std::uint32_t;
  Word* __restrict const both = reinterpret_cast<Word*>(pairs);
  const float to_twos = scale * kLog2OfE;
  const auto from = static_cast<std::int32_t>(first), from_second = static_cast<std::int32_t>(second),
             count = static_cast<std::int32_t>(n);
#pragma omp simd
  for (std::int32_t i = 0; i < count; ++i) {
    const float log_sum = log_sums[i] * kLog2OfE;
    const float one = power_of_two(scores[i] * to_twos - log_sum);
    const float two = power_of_two(scores[count + i] * to_twos - log_sum);
    const float p_one = i < from ? 0.0f : one, p_two = i < from_second ? 0.0f : two;
    const float ds_one = p_one * (dp[i] - deltas[i]) * scale, ds_two = p_two * (dp[count + i] - deltas[i]) * scale;
    const std::uint32_t low = bfloat16_bits(ds_one), high = bfloat16_bits(ds_two);
    p[i] = static_cast<std::uint16_t>(bfloat16_bits(p_one));
    p[count + i] = static_cast<std::uint16_t>(bfloat16_bits(p_two));
    ds[i] = static_cast<std::uint16_t>(low);
    ds[count + i] = static_cast<std::uint16_t>(high);
    both[i] = low | high << 16;
  }
}

}  // namespace kg::policy
