#pragma once

#include <cstdint>
#include <string>

#include "trainer/option_groups.h"

namespace kg::trainer {

// Options of `kgtrain dpo`.
struct DpoOptions : RunOptions, DeviceOptions, TrainingOptions {
  DpoOptions() {
    learning_rate = 5e-5;
    decay = "cosine";
    warmup = 0.1;
    checkpoint_every = 50;
  }
  std::string data;
  std::string model = "latest-sft";
  std::string from_run;
  std::string loss = "dpo";
  double beta = 0.1;
  double likelihood_weight = 0.1;
  double undesirable_weight = 1;
  std::int64_t pairs_per_prompt = 4;
  double wrong_over_broken = 0.25;
  std::int64_t pairs_per_step = 8;
  double epochs = 1;
  std::int64_t steps = 0;
  std::int64_t row_tokens = 2048;
  double final_learning_rate = 0.05;
  std::uint64_t seed = 1;
};

Options declare(DpoOptions& values);

}  // namespace kg::trainer
