#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/options.h"

namespace kg::trainer {

// Options of low-rank adapters, for every command that trains.
struct AdapterOptions {
  std::int64_t lora_rank = 0;
  double lora_alpha = 32;
  std::vector<std::string> lora_targets;
};

void declare_adapters(Options& options, AdapterOptions& values);

}  // namespace kg::trainer
