#pragma once

#include <cstdint>
#include <string>

#include "base/options.h"
#include "trainer/adapter_options.h"

// Options shared by several commands, each group declared once.
namespace kg::trainer {

// Where a run is stored, and whether it resumes one.
struct RunOptions {
  std::string out;
  bool resume = false;
  bool dry_run = false;
};
// `default_name`: name of the folder if --out is not given, for the help text.
void declare_run(Options& options, RunOptions& values, const std::string& command, const std::string& default_name);

// Where and in which number type a model computes.
struct DeviceOptions {
  std::string device = "cpu";
  std::string dtype = "auto";
  int threads = 0;
};
void declare_device(Options& options, DeviceOptions& values);

// A third-party inference server that samples instead of our own generator.
struct ServerOptions {
  std::string generator;
  std::string generator_token;
};
void declare_server(Options& options, ServerOptions& values);

// The distribution that answers are drawn from, and their length.
struct SamplingOptions {
  double temperature = 0.7;
  int top_k = 0;
  double top_p = 1.0;
  double min_p = 0.0;
  std::int64_t max_new_tokens = 512;
  std::string grammar = "off";
};
// Without `greedy` temperature 0 is refused: training needs the probability of every token.
void declare_sampling(Options& options, SamplingOptions& values, bool greedy);

// Optimiser and checkpoints, for every command that trains.
struct TrainingOptions : AdapterOptions {
  double learning_rate = 0;
  std::string decay;
  double warmup = 0;
  double weight_decay = 0.0;
  double clip_norm = 1.0;
  bool recompute_layers = false;
  std::int64_t checkpoint_every = 0;
  int keep_checkpoints = 2;
};
// `step`: the command's word for a step in help texts: "step", "update".
void declare_training(Options& options, TrainingOptions& values, const std::string& step);

void declare_model(Options& options, std::string& model);
void declare_prompt_form(Options& options, std::string& form);
// Reward preset, language of the kernels, and the time a worker may spend on a task.
struct JudgingOptions {
  std::string reward;
  std::string language = "ascendc";
  double lease_seconds = 900;
};
void declare_judging(Options& options, JudgingOptions& values);

}  // namespace kg::trainer
