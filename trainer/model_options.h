#pragma once

#include <cstdint>
#include <string>

#include "base/options.h"

namespace kg::trainer {

// Options of `kgtrain export`.
struct ExportOptions {
  std::string model = "latest-sft";
  std::string out;
  std::string dtype = "bfloat16";
};
Options declare(ExportOptions& values);

// Options of `kgtrain generate`.
struct GenerateOptions {
  std::string model = "latest-sft";
  std::string prompt;
  std::string data = "ascend_cot.h5";
  std::string task;
  std::string prompt_form = "short";
  std::int64_t samples = 1;
  std::int64_t max_new_tokens = 512;
  double temperature = 0.7;
  int top_k = 0;
  double top_p = 1.0;
  double min_p = 0.0;
  std::uint64_t seed = 1;
  std::string device = "cpu";
  std::string dtype = "auto";
  int threads = 0;
};
Options declare(GenerateOptions& values);

}  // namespace kg::trainer
