#pragma once

#include <cstdint>
#include <string>

#include "trainer/option_groups.h"

namespace kg::trainer {

// Options of `kgtrain export`.
struct ExportOptions {
  std::string model = "latest-sft";
  std::string out;
  std::string dtype = "bfloat16";
  std::string difference_to;
  std::int64_t bits = 3;
};
Options declare(ExportOptions& values);

// Options of `kgtrain generate`.
struct GenerateOptions : DeviceOptions, ServerOptions, SamplingOptions {
  std::string model = "latest-sft";
  std::string prompt;
  std::string data = "ascend_cot.h5";
  std::string task;
  std::string prompt_form = "short";
  std::int64_t samples = 1;
  std::uint64_t seed = 1;
};
Options declare(GenerateOptions& values);

}  // namespace kg::trainer
