#include "trainer/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"

namespace kg::trainer {

double learning_rate(const Schedule& schedule, std::int64_t step) {
  if (step < schedule.warmup_steps)
    return schedule.peak * static_cast<double>(step + 1) / static_cast<double>(schedule.warmup_steps);
  if (schedule.decay == "constant") return schedule.peak;
  const double span = static_cast<double>(std::max<std::int64_t>(1, schedule.total_steps - schedule.warmup_steps));
  const double progress = std::min(1.0, static_cast<double>(step - schedule.warmup_steps) / span);
  const double low = schedule.peak * schedule.final_ratio;
  if (schedule.decay == "linear") return schedule.peak + (low - schedule.peak) * progress;
  KG_CHECK_EQ(schedule.decay, std::string("cosine"));
  return low + (schedule.peak - low) * 0.5 * (1 + std::cos(std::numbers::pi * progress));
}

}  // namespace kg::trainer
