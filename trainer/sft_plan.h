#pragma once

#include <cstdint>

#include "trainer/sft_data.h"
#include "trainer/sft_options.h"

namespace kg::trainer {

// The length of an sft run: `steps` steps, which end early at `end_epoch`.
struct SftPlan {
  std::int64_t steps = 0;
  std::uint64_t end_epoch = ~0ULL;
  std::int64_t tokens = 0;  // in all steps together, prompts included
};

// From --steps, --tokens or --epochs.
SftPlan make_plan(const SftOptions& options, const SftData& data);

}  // namespace kg::trainer
