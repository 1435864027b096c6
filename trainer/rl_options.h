#pragma once

#include <cstdint>
#include <string>

#include "base/options.h"
#include "trainer/adapter_options.h"

namespace kg::trainer {

// Options of `kgtrain rl`.
struct RlOptions : AdapterOptions {
  int workers = 8;
  std::string data;
  std::string model = "latest-sft";
  std::string out;
  bool resume = false;
  bool deterministic = false;
  std::string algorithm = "grpo";
  std::string aggregation = "auto";
  std::int64_t steps = 20;
  std::int64_t groups_per_step = 2;
  std::int64_t group_size = 8;
  std::int64_t gradient_steps = 1;
  std::int64_t max_new_tokens = 512;
  double temperature = 1.0;
  int top_k = 0;
  double top_p = 1.0;
  double min_p = 0.0;
  double learning_rate = 1e-6;
  double warmup = 0.0;
  std::string decay = "constant";
  double weight_decay = 0.0;
  double clip_norm = 1.0;
  bool recompute_layers = false;
  double clip_low = 0.2;
  double clip_high = 0.28;
  double kl_weight = 0.0;
  double importance_cap = 2.0;
  std::int64_t staleness = 0;
  std::string reward = "binary";
  std::string language = "ascendc";
  std::string prompt_form = "short";
  std::string split = "train";
  std::string order = "shuffled";
  std::uint64_t seed = 1;
  std::string device = "cpu";
  std::string dtype = "auto";
  std::string sampling_dtype = "auto";
  std::string sampling_device = "same";
  int threads = 0;
  std::int64_t row_tokens = 2048;
  std::int64_t checkpoint_every = 1;
  int keep_checkpoints = 2;
  std::string bind;
  double lease_seconds = 900;
  bool dry_run = false;
};

Options declare(RlOptions& values);

}  // namespace kg::trainer
