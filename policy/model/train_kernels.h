#pragma once

#include <cstdint>

namespace kg::policy {

// The inner loops of CPU training, for one row in fp32 each, where ATen's separate operations would read memory
// several times. Compiled for several instruction sets, chosen at program start.

// bfloat16 (its bits) to fp32 and back, rounded to the nearest even number; NaN stays NaN.
void widen_row(const std::uint16_t* x, std::int64_t n, float* y);
void narrow_row(const float* x, std::int64_t n, std::uint16_t* y);

// y += x.
void add_row(const float* x, std::int64_t n, float* y);

// y = x / sqrt(mean(x^2) + epsilon) * weight; returns the factor 1 / sqrt(...).
float rms_norm_row(const float* x, const float* weight, std::int64_t n, float epsilon, float* y);
// dx, and adds to dweight.
void rms_norm_row_backward(const float* dy, const float* x, const float* weight, float factor, std::int64_t n,
                           float* dx, float* dweight);

// y = silu(gate) * up.
void swiglu_row(const float* gate, const float* up, std::int64_t n, float* y);
void swiglu_row_backward(const float* dy, const float* gate, const float* up, std::int64_t n, float* dgate, float* dup);
// The same in bf16, computed in fp32.
void swiglu_row(const std::uint16_t* gate, const std::uint16_t* up, std::int64_t n, std::uint16_t* y);
void swiglu_row_backward(const std::uint16_t* dy, const std::uint16_t* gate, const std::uint16_t* up, std::int64_t n,
                         std::uint16_t* dgate, std::uint16_t* dup);

// x (heads, 2 * half): elements i and i + half of each head rotated by the angle i; sign -1 rotates back.
void rotate_row(const float* x, const float* cosine, const float* sine, std::int64_t heads, std::int64_t half,
                float sign, float* y);

// For the distribution softmax(scale * x): `highest` of x, `sum` = sum(exp(scale * (x - highest))), `log_sum` =
// log(sum(exp(scale * x))), `mean` the mean of scale * x under it (the entropy is log_sum - mean).
struct SoftmaxRow {
  float highest, sum, log_sum, mean;
};
SoftmaxRow softmax_row(const float* x, std::int64_t n, float scale);
// y = factor * exp(scale * (x - highest)); y may be x.
void weigh_row(const float* x, std::int64_t n, float scale, float highest, float factor, float* y);

}  // namespace kg::policy
