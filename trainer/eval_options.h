#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "trainer/option_groups.h"

namespace kg::trainer {

// Options of `kgtrain eval`.
struct EvalOptions : RunOptions, DeviceOptions, ServerOptions, SamplingOptions, JudgingOptions {
  EvalOptions() { reward = "staged"; }
  std::string data = "ascend_cot.h5";
  std::string model = "latest-sft";
  std::string label;
  bool table = false;
  std::int64_t samples = 4;
  std::int64_t turns = 1;
  std::string tasks = "24";
  std::string split = "heldout";
  std::string only;
  std::string checkout;
  std::string prompt_form = "short";
  int workers = 4;
  std::uint64_t seed = 1;
  bool json = false;
  std::string part, merge;
};

Options declare(EvalOptions& values);

// The number given by --tasks; 0: all.
std::size_t task_limit(const EvalOptions& options);

}  // namespace kg::trainer
