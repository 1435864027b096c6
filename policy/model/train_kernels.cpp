#include "policy/model/train_kernels.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "policy/model/bfloat16_bits.h"
#include "policy/model/each_set.h"
#include "policy/model/exponential.h"

namespace kg::policy {
namespace {

// The power of two that exp(-x) is, at most 2^126.
[[gnu::always_inline]] inline float bounded_power(float x) {
  const float power = x * -kLog2OfE;
  return 126.0f < power ? 126.0f : power;  // NaN stays NaN
}

}  // namespace

KG_EACH_SET void widen_row(const std::uint16_t* __restrict x, std::int64_t n, float* __restrict y) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) y[i] = from_bfloat16_bits(x[i]);
}

KG_EACH_SET void narrow_row(const float* __restrict x, std::int64_t n, std::uint16_t* __restrict y) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(x[i]) & 0x7FFFFFFFu;
    y[i] = static_cast<std::uint16_t>(magnitude > 0x7F800000u ? 0x7FC0u : bfloat16_bits(x[i]));
  }
}

KG_EACH_SET float rms_norm_row(const float* __restrict x, const float* __restrict weight, std::int64_t n, float epsilon,
                               float* __restrict y) {
  float squares = 0;
#pragma omp simd reduction(+ : squares)
  for (std::int64_t i = 0; i < n; ++i) squares += x[i] * x[i];
  const float factor = 1.0f / __builtin_sqrtf(squares / static_cast<float>(n) + epsilon);
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] * factor * weight[i];
  return factor;
}

// With s = factor: dx = s * (dy * weight) - x * s^3 / n * sum(dy * weight * x).
KG_EACH_SET void rms_norm_row_backward(const float* __restrict dy, const float* __restrict x,
                                       const float* __restrict weight, float factor, std::int64_t n,
                                       float* __restrict dx, float* __restrict dweight) {
  float product = 0;
#pragma omp simd reduction(+ : product)
  for (std::int64_t i = 0; i < n; ++i) product += dy[i] * weight[i] * x[i];
  const float pull = product * factor * factor * factor / static_cast<float>(n);
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) {
    dx[i] = dy[i] * weight[i] * factor - x[i] * pull;
    dweight[i] += dy[i] * x[i] * factor;
  }
}

KG_EACH_SET void swiglu_row(const float* __restrict gate, const float* __restrict up, std::int64_t n,
                            float* __restrict y) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) y[i] = gate[i] / (1.0f + exponential(-gate[i])) * up[i];
}

KG_EACH_SET void swiglu_row_backward(const float* __restrict dy, const float* __restrict gate,
                                     const float* __restrict up, std::int64_t n, float* __restrict dgate,
                                     float* __restrict dup) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) {
    const float sigmoid = 1.0f / (1.0f + exponential(-gate[i]));
    dup[i] = dy[i] * gate[i] * sigmoid;
    dgate[i] = dy[i] * up[i] * sigmoid * (1.0f + gate[i] * (1.0f - sigmoid));
  }
}

// silu(g) = g s with s = 1 / (1 + exp(-g)).
KG_EACH_SET void swiglu_row(const std::uint16_t* __restrict gate, const std::uint16_t* __restrict up, std::int64_t n,
                            std::uint16_t* __restrict y) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) {
    const float g = from_bfloat16_bits(gate[i]), u = from_bfloat16_bits(up[i]);
    y[i] = static_cast<std::uint16_t>(bfloat16_bits(g / (1.0f + power_of_two(bounded_power(g))) * u));
  }
}

KG_EACH_SET void swiglu_row_backward(const std::uint16_t* __restrict dy, const std::uint16_t* __restrict gate,
                                     const std::uint16_t* __restrict up, std::int64_t n,
                                     std::uint16_t* __restrict dgate, std::uint16_t* __restrict dup) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) {
    const float g = from_bfloat16_bits(gate[i]), u = from_bfloat16_bits(up[i]), d = from_bfloat16_bits(dy[i]);
    const float sigmoid = 1.0f / (1.0f + power_of_two(bounded_power(g)));
    dup[i] = static_cast<std::uint16_t>(bfloat16_bits(d * g * sigmoid));
    dgate[i] = static_cast<std::uint16_t>(bfloat16_bits(d * u * sigmoid * (1.0f + g * (1.0f - sigmoid))));
  }
}

KG_EACH_SET void add_row(const float* __restrict x, std::int64_t n, float* __restrict y) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) y[i] += x[i];
}

KG_EACH_SET void rotate_row(const float* __restrict x, const float* __restrict cosine, const float* __restrict sine,
                            std::int64_t heads, std::int64_t half, float sign, float* __restrict y) {
  for (std::int64_t head = 0; head < heads; ++head, x += 2 * half, y += 2 * half) {
#pragma omp simd
    for (std::int64_t i = 0; i < half; ++i) {
      const float a = x[i], b = x[i + half], s = sign * sine[i];
      y[i] = a * cosine[i] - b * s;
      y[i + half] = b * cosine[i] + a * s;
    }
  }
}

KG_EACH_SET SoftmaxRow softmax_row(const float* __restrict x, std::int64_t n, float scale) {
  float highest = x[0];
#pragma omp simd reduction(max : highest)
  for (std::int64_t i = 0; i < n; ++i) highest = x[i] > highest ? x[i] : highest;
  // Summed in runs: next to a likely token's 1, a single fp32 sum would lose thousands of unlikely tokens altogether.
  constexpr std::int64_t kRun = 256;
  double sum = 0, moment = 0;
  for (std::int64_t begin = 0; begin < n; begin += kRun) {
    const std::int64_t end = begin + kRun < n ? begin + kRun : n;
    float run_sum = 0, run_moment = 0;
#pragma omp simd reduction(+ : run_sum, run_moment)
    for (std::int64_t i = begin; i < end; ++i) {
      const float logit = (x[i] - highest) * scale, e = exponential(logit);
      run_sum += e;
      run_moment += e * logit;
    }
    sum += run_sum;
    moment += run_moment;
  }
  const double top = highest * scale;
  return {highest, static_cast<float>(sum), static_cast<float>(std::log(sum) + top),
          static_cast<float>(moment / sum + top)};
}

KG_EACH_SET void weigh_row(const float* x, std::int64_t n, float scale, float highest, float factor, float* y) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) y[i] = exponential((x[i] - highest) * scale) * factor;
}

}  // namespace kg::policy
