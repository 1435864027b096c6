#include "trainer/option_groups.h"

#include "reward/reward_config.h"

namespace kg::trainer {

void declare_run(Options& options, RunOptions& values, const std::string& command, const std::string& default_name) {
  options.add("out", values.out, "run folder, or a name in $KGTRAIN_HOME/runs; default: " + default_name);
  options.add("resume", values.resume,
              "continue the run in --out, or the latest " + command + " run that did not finish");
  options.add("dry-run", values.dry_run, "print the resolved configuration and what the run would need, then stop");
}

void declare_device(Options& options, DeviceOptions& values) {
  options.add("device", values.device, "device that runs the model: cpu, cuda, cuda:N, npu, npu:N");
  options
      .add("dtype", values.dtype,
           "number type for computing (training keeps its weights in float32); auto: bfloat16 if the hardware can "
           "multiply it, else float32")
      .choices({"auto", "float32", "bfloat16"});
  options.add("threads", values.threads, "computing threads; 0 = one per core").range(0, 4096);
}

void declare_server(Options& options, ServerOptions& values) {
  options
      .add("generator", values.generator,
           "http://HOST:PORT of an inference server (vLLM, SGLang or llama.cpp's) that samples with the weights of "
           "--model; empty: kgtrain's own generator (docs/guide/other-peoples-loops.md)")
      .add("generator-token", values.generator_token, "environment variable with the bearer token of --generator");
}

void declare_sampling(Options& options, SamplingOptions& values, bool greedy) {
  options
      .add("temperature", values.temperature,
           greedy ? "sampling temperature; 0 = greedy" : "sampling temperature; training uses the same distribution")
      .range(greedy ? 0 : 0.01, 100);
  options.add("top-k", values.top_k, "sample among this many of the most likely tokens; 0 = all").range(0, 1e6);
  options.add("top-p", values.top_p, "sample among the most likely tokens whose probabilities add up to this; 1 = all")
      .range(0, 1);
  options.add("min-p", values.min_p, "drop tokens below this fraction of the top token's probability; 0 = none")
      .range(0, 1);
  options.add("max-new-tokens", values.max_new_tokens, "longest answer, in tokens").range(1, 1e6);
  options
      .add("grammar", values.grammar,
           "dsl: draw only tokens that can continue a program in the DSL (docs/reference/dsl.md); task: only programs "
           "with the task's parameters; off: any token")
      .choices({"off", "dsl", "task"});
}

void declare_training(Options& options, TrainingOptions& values, const std::string& step) {
  options.add("learning-rate", values.learning_rate, "peak learning rate").range(0, 1);
  options.add("decay", values.decay, "learning rate schedule after the warm-up")
      .choices({"constant", "cosine", "linear"});
  options.add("warmup", values.warmup, "fraction of the " + step + "s over which the learning rate rises").range(0, 1);
  options.add("weight-decay", values.weight_decay, "decoupled weight decay; applies to matrices only").range(0, 10);
  options.add("clip-norm", values.clip_norm, "clip the gradient to this norm; 0 = no clipping").range(0, 1e9);
  options.add("recompute-layers", values.recompute_layers,
              "activation checkpointing: recompute each layer in the backward pass (less memory, about a third more "
              "compute)");
  declare_adapters(options, values);
  options.add("checkpoint-every", values.checkpoint_every, step + "s between checkpoints; 0 = only one, at the end")
      .range(0, 1e9);
  options.add("keep-checkpoints", values.keep_checkpoints, "how many of the newest checkpoints to keep").range(1, 1000);
}

void declare_model(Options& options, std::string& model) {
  options.add("model", model, "Hugging Face directory, GGUF file, run, or a name in $KGTRAIN_HOME/models or runs");
}

void declare_prompt_form(Options& options, std::string& form) {
  options
      .add("prompt-form", form,
           "prompt form; for a PyTorch module, short lists its operators and written gives its source")
      .choices({"short", "written", "npukernelbench"});
}

void declare_judging(Options& options, JudgingOptions& values) {
  options
      .add("reward", values.reward,
           "reward preset. binary: 1 for a correct kernel; staged: also partial reward for one that compiles or runs, "
           "which a policy may learn to exploit; the others as published (docs/results/2026-11-23-dsl.md)")
      .choices(reward::reward_presets());
  options.add("language", values.language, "language of the kernels").choices({"ascendc", "dsl"});
  options.add("lease-seconds", values.lease_seconds, "seconds a worker may spend on one task").range(1, 1e6);
}

}  // namespace kg::trainer
