#include "trainer/rl_options.h"

#include "reward/reward_config.h"

namespace kg::trainer {

Options declare(RlOptions& values) {
  Options options("kgtrain rl",
                  "Reinforcement learning from what happens when the policy's kernels are compiled and run.");
  options.add("workers", values.workers, "worker processes started on this host").range(0, 4096);
  options.add("data", values.data,
              "data set with the tasks, where rollouts are stored; empty: the one the model's run used");
  options.add("model", values.model,
              "Hugging Face directory, GGUF file, run, or a name in $KGTRAIN_HOME/models or runs");
  options.add("out", values.out, "run folder, or a name in $KGTRAIN_HOME/runs; empty: rl- and the time");
  options.add("resume", values.resume,
              "go on from the newest checkpoint of --out, or of the latest rl run that did not end");
  options.add("deterministic", values.deterministic, "no staleness, groups in order of work: same weights bit for bit");
  options.add("algorithm", values.algorithm, "variant of group-based policy gradient")
      .choices({"grpo", "dr_grpo", "rloo"});
  options.add("aggregation", values.aggregation, "how tokens weigh in the loss; auto: as the algorithm has it")
      .choices({"auto", "token", "sequence-mean", "constant"});
  options.add("steps", values.steps, "policy updates").range(0, 1e9);
  options.add("groups-per-step", values.groups_per_step, "tasks of one update").range(1, 1e6);
  options.add("group-size", values.group_size, "answers to each task").range(2, 4096);
  options.add("gradient-steps", values.gradient_steps, "optimiser steps on the rollouts of one update").range(1, 64);
  options.add("max-new-tokens", values.max_new_tokens, "longest answer").range(1, 1e6);
  options.add("temperature", values.temperature, "of sampling; the trainer uses the same distribution")
      .range(0.01, 100);
  options.add("top-k", values.top_k, "sample among this many most likely tokens; 0: all").range(0, 1e6);
  options.add("top-p", values.top_p, "sample among tokens of this total probability; 1: all").range(0, 1);
  options.add("min-p", values.min_p, "leave out tokens less likely than this part of the likeliest; 0: none")
      .range(0, 1);
  options.add("learning-rate", values.learning_rate, "highest learning rate").range(0, 1);
  options.add("warmup", values.warmup, "part of the updates in which the learning rate rises").range(0, 1);
  options.add("decay", values.decay, "course of the learning rate after the warm-up")
      .choices({"constant", "cosine", "linear"});
  options.add("weight-decay", values.weight_decay, "decoupled, matrices only").range(0, 10);
  options.add("clip-norm", values.clip_norm, "largest norm of the gradient; 0: none").range(0, 1e9);
  options.add("recompute-layers", values.recompute_layers,
              "keep of each layer only what goes in, compute the rest once more: less memory, a third more work");
  declare_adapters(options, values);
  options.add("clip-low", values.clip_low, "probability ratios are kept above 1 - this").range(0, 1);
  options.add("clip-high", values.clip_high, "probability ratios are kept below 1 + this").range(0, 100);
  options.add("kl-weight", values.kl_weight, "weight of the k3 divergence from the starting model; 0: off")
      .range(0, 100);
  options
      .add("importance-cap", values.importance_cap, "bound of the trainer/sampler importance weight; 0: no correction")
      .range(0, 1e6);
  options.add("staleness", values.staleness, "updates that a rollout's weights may lie behind; 0 with --deterministic")
      .range(0, 64);
  options
      .add(
          "reward", values.reward,
          "what a verdict is worth. binary: 1 if correct; staged: a part for what compiles or runs, which a policy may "
          "learn to please instead (docs/results.md); the others as published")
      .choices(reward::reward_presets());
  options.add("language", values.language, "language of the kernels").choices({"ascendc", "dsl"});
  options.add("prompt-form", values.prompt_form, "form of the prompt").choices({"short", "npukernelbench"});
  options.add("split", values.split, "tasks of this split").choices({"train", "heldout"});
  options
      .add(
          "order", values.order,
          "of tasks. shuffled: each comes once before one comes again; curriculum: those with something to learn, pass "
          "rate 0.1 to 0.9, and the next level from a pass rate of 0.5")
      .choices({"shuffled", "curriculum"});
  options.add("device", values.device, "where the learner computes: cpu, cuda, cuda:N, npu, npu:N");
  options.add("sampling-device", values.sampling_device,
              "where the generator of this host samples; same: as --device, whose memory they then share");
  options.add("seed", values.seed, "of task order and sampling");
  options
      .add("dtype", values.dtype, "type computed in (master weights are float32); auto: bfloat16 where the CPU has it")
      .choices({"auto", "float32", "bfloat16"});
  options
      .add(
          "sampling-dtype", values.sampling_dtype,
          "type that the generator holds matrices in; auto: as --dtype. bfloat16 and int8 read a half and a quarter of "
          "the memory for each token, and --importance-cap corrects for the difference")
      .choices({"auto", "float32", "bfloat16", "int8"});
  options.add("threads", values.threads, "computing threads; 0: one for each core").range(0, 4096);
  options.add("row-tokens", values.row_tokens, "tokens that go through the model at once in training").range(8, 1e7);
  options.add("checkpoint-every", values.checkpoint_every, "updates between checkpoints; 0: at the end only")
      .range(0, 1e9);
  options.add("keep-checkpoints", values.keep_checkpoints, "newest checkpoints kept").range(1, 1000);
  options.add("bind", values.bind,
              "address for workers; empty: a socket in the run folder; tcp://... needs CURVE keys");
  options.add("lease-seconds", values.lease_seconds, "time a worker has for one group").range(1, 1e6);
  options.add("dry-run", values.dry_run,
              "print the resolved configuration with estimates of memory and time, train nothing");
  return options;
}

}  // namespace kg::trainer
