#pragma once

#include <cstdint>

namespace kg::trainer {

// One step of AdamW (arXiv 1711.05101, algorithm 2) for a run of n weights in one pass over memory. Compiled for
// several instruction sets, chosen when the program starts.
struct AdamWConstants {
  float beta1, beta2, epsilon;
  float gradient_scale;  // multiplies the gradient first
  float keep;            // 1 - learning rate * weight decay
  float step_size;       // learning rate / (1 - beta1^t)
  float root_scale;      // 1 / sqrt(1 - beta2^t)
};

void adamw_run(float* weights, float* first, float* second, const float* gradient, std::int64_t n,
               const AdamWConstants& constants);
// The same with the gradient in bfloat16 (its bits).
void adamw_run(float* weights, float* first, float* second, const std::uint16_t* gradient, std::int64_t n,
               const AdamWConstants& constants);

// Sum of squares: in fp32 over each 256 elements, in fp64 over these sums.
double sum_of_squares(const float* x, std::int64_t n);
double sum_of_squares(const std::uint16_t* x, std::int64_t n);

}  // namespace kg::trainer
