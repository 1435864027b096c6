#pragma once

#include <cstdint>
#include <string>

#include "trainer/option_groups.h"

namespace kg::trainer {

// Options of `kgtrain rl`.
struct RlOptions : RunOptions, DeviceOptions, ServerOptions, SamplingOptions, TrainingOptions, JudgingOptions {
  RlOptions() {
    temperature = 1.0;
    learning_rate = 1e-6;
    decay = "constant";
    checkpoint_every = 1;
    reward = "binary";
  }
  int workers = 8;
  std::string data;
  std::string model = "latest-sft";
  bool deterministic = false;
  std::string algorithm = "grpo";
  std::string aggregation = "auto";
  std::int64_t steps = 20;
  std::int64_t answer_tokens = 0;  // 0: --steps alone ends the run
  std::int64_t groups_per_step = 2;
  std::int64_t group_size = 8;
  std::int64_t gradient_steps = 1;
  double clip_low = -1;  // negative: the algorithm's own
  double clip_high = -1;
  double dual_clip = 0;
  double kl_weight = 0.0;
  std::string kl_estimator = "k3";
  bool kl_in_reward = false;
  std::string correction = "token";
  double importance_cap = 2.0;
  double mask_low = 0.5;
  double mask_high = 5.0;
  double sequence_limit = 0.05;
  double refill = -1;
  std::int64_t overlong_buffer = -1;
  bool mask_truncated = false;
  std::int64_t staleness = 0;
  std::int64_t sync_every = 1;  // updates
  std::int64_t turns = 1;
  std::int64_t turns_after = 0;
  std::int64_t repair_groups = -1;  // negative: half of groups_per_step
  double stop_entropy = 20;
  double stop_length = 6;
  double stop_difference = 0.5;
  double stop_growth = 20;
  std::string prompt_form = "short";
  std::string split = "train";
  std::int64_t eval_every = 0;
  std::int64_t eval_tasks = 50;
  std::int64_t eval_samples = 2;
  std::string eval_split = "heldout";
  std::string order = "shuffled";
  std::uint64_t seed = 1;
  std::string sampling_dtype = "auto";
  std::string sampling_device = "same";
  std::int64_t row_tokens = 2048;
  std::string bind;
  std::string keys;
  double check_verdicts = 0.05;
};

Options declare(RlOptions& values);

}  // namespace kg::trainer
