#pragma once

#include <cstdint>
#include <string>

#include "trainer/option_groups.h"

namespace kg::trainer {

// Options of `kgtrain sft`.
struct SftOptions : RunOptions, DeviceOptions, TrainingOptions {
  SftOptions() {
    learning_rate = 5e-4;
    decay = "cosine";
    warmup = 0.05;
    checkpoint_every = 100;
  }
  std::string data = "ascend_cot.h5";
  std::string model = "smollm2-135m-instruct";
  std::int64_t steps = 0;
  double epochs = 1;
  std::int64_t tokens = 0;
  std::int64_t batch_tokens = 2048;
  std::int64_t sequence_length = 1024;
  double final_learning_rate = 0.05;
  std::uint64_t seed = 1;
  std::string split = "train";
  std::string kind, language, style, prompt_form, judge_version;
};

// Declares the options: the source of flags, help, config keys and recorded values.
Options declare(SftOptions& values);

}  // namespace kg::trainer
