#pragma once

#include <cstdint>
#include <string>

#include "trainer/option_groups.h"

namespace kg::trainer {

// Options of `kgtrain bench`.
struct BenchOptions : DeviceOptions {
  std::string what;
  std::string model = "smollm2-135m-instruct";
  std::string data;
  std::int64_t batch_tokens = 2048;                                                  // sft with data
  std::int64_t documents = 2, length = 1024, rows = 1;                               // sft
  std::int64_t prompts = 2, completions = 8, prompt_tokens = 256, new_tokens = 128;  // grpo, decode
  std::int64_t steps = 3;
  int rounds = 2;
  double peak = 0;
  std::string peers = "all";
  std::string python;
  bool json = false;
  std::string trace;
};
Options declare(BenchOptions& values);

}  // namespace kg::trainer
