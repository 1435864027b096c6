#pragma once

#include <cstdint>
#include <string>

#include "base/options.h"
#include "trainer/adapter_options.h"

namespace kg::trainer {

// Options of `kgtrain sft`.
struct SftOptions : AdapterOptions {
  std::string data = "ascend_cot.h5";
  std::string model = "smollm2-135m-instruct";
  std::string out;
  bool resume = false;
  std::int64_t steps = 0;
  double epochs = 1;
  std::int64_t tokens = 0;
  std::int64_t batch_tokens = 2048;
  std::int64_t sequence_length = 1024;
  double learning_rate = 5e-4;
  std::string decay = "cosine";
  double warmup = 0.05;
  double final_learning_rate = 0.05;
  double weight_decay = 0.0;
  double clip_norm = 1.0;
  bool recompute_layers = false;
  std::uint64_t seed = 1;
  std::string device = "cpu";
  std::string dtype = "auto";
  int threads = 0;
  std::int64_t checkpoint_every = 100;
  int keep_checkpoints = 2;
  std::string split = "train";
  std::string kind, language, style, judge_version;
  std::string prompt_form;
  bool dry_run = false;
};

// The declaration from which the flags, the help, the config keys and the recorded values come.
Options declare(SftOptions& values);

}  // namespace kg::trainer
