#pragma once

#include <cstdint>
#include <string>

namespace kg::trainer {

// Learning rate over a run: linear warm-up, then decay to `final_ratio` of the peak.
struct Schedule {
  double peak = 5e-4;
  std::int64_t warmup_steps = 0;
  std::int64_t total_steps = 1;
  std::string decay = "cosine";  // "cosine", "linear", "constant"
  double final_ratio = 0.0;
};

// For step `step`, counted from 0. The first warm-up step is peak / warmup_steps, never 0.
double learning_rate(const Schedule& schedule, std::int64_t step);

}  // namespace kg::trainer
