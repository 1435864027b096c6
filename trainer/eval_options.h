#pragma once

#include <cstdint>
#include <string>

#include "base/options.h"

namespace kg::trainer {

// Options of `kgtrain eval`.
struct EvalOptions {
  std::string data = "ascend_cot.h5";
  std::string model = "latest-sft";
  std::string label;
  std::string out;
  bool resume = false;
  bool table = false;
  std::int64_t samples = 4;
  std::string tasks = "24";
  std::string split = "heldout";
  std::string only;
  std::string checkout;
  std::string prompt_form = "short";
  double temperature = 0.7;
  int top_k = 0;
  double top_p = 1.0;
  double min_p = 0.0;
  std::int64_t max_new_tokens = 512;
  int workers = 4;
  int threads = 0;
  std::string dtype = "auto";
  std::string device = "cpu";
  std::string reward = "staged";
  std::string language = "ascendc";
  std::uint64_t seed = 1;
  double lease_seconds = 900;
  bool json = false;
  bool dry_run = false;
};

Options declare(EvalOptions& values);

}  // namespace kg::trainer
