#include "trainer/adamw_kernel.h"

#include <bit>

#include "policy/model/each_set.h"

namespace kg::trainer {
namespace {

[[gnu::always_inline]] inline float number(float x) { return x; }
[[gnu::always_inline]] inline float number(std::uint16_t x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x) << 16);
}

template <typename G>
[[gnu::always_inline]] inline void run(float* __restrict weights, float* __restrict first, float* __restrict second,
                                       const G* __restrict gradient, std::int64_t n, const AdamWConstants& constants) {
  const AdamWConstants c = constants;
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) {
    const float g = number(gradient[i]) * c.gradient_scale;
    const float m = first[i] + (1.0f - c.beta1) * (g - first[i]);
    const float v = second[i] * c.beta2 + (1.0f - c.beta2) * g * g;
    first[i] = m;
    second[i] = v;
    weights[i] = weights[i] * c.keep - c.step_size * m / (__builtin_sqrtf(v) * c.root_scale + c.epsilon);
  }
}

template <typename T>
[[gnu::always_inline]] inline double squares(const T* x, std::int64_t n) {
  constexpr std::int64_t kRun = 256;
  double all = 0;
  for (std::int64_t begin = 0; begin < n; begin += kRun) {
    const std::int64_t end = begin + kRun < n ? begin + kRun : n;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = begin; i < end; ++i) sum += number(x[i]) * number(x[i]);
    all += sum;
  }
  return all;
}

}  // namespace

KG_EACH_SET void adamw_run(float* weights, float* first, float* second, const float* gradient, std::int64_t n,
                           const AdamWConstants& constants) {
  run(weights, first, second, gradient, n, constants);
}

KG_EACH_SET void adamw_run(float* weights, float* first, float* second, const std::uint16_t* gradient, std::int64_t n,
                           const AdamWConstants& constants) {
  run(weights, first, second, gradient, n, constants);
}

KG_EACH_SET double sum_of_squares(const float* x, std::int64_t n) { return squares(x, n); }

KG_EACH_SET double sum_of_squares(const std::uint16_t* x, std::int64_t n) { return squares(x, n); }

}  // namespace kg::trainer
