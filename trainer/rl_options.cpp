#include "trainer/rl_options.h"

#include "trainer/algorithm.h"

namespace kg::trainer {
namespace {

void declare_divergence(Options& options, RlOptions& values) {
  options.add("kl-weight", values.kl_weight, "weight of the divergence from the starting model; 0 = off").range(0, 100);
  options
      .add("kl-estimator", values.kl_estimator,
           "estimate of the divergence in the loss; its gradient is that of KL(policy || start) with k2, of "
           "KL(start || policy) with k3")
      .choices({"k2", "k3"});
  options.add("kl-in-reward", values.kl_in_reward,
              "take the divergence (k1) from the reward instead of adding it to the loss");
}

void declare_correction(Options& options, RlOptions& values) {
  options
      .add("correction", values.correction,
           "how the loss allows for the sampler's distribution, which staleness and number types make another one than "
           "the trainer's: importance weights of tokens or whole answers, capped; importance weights within "
           "--mask-low and --mask-high, and 0 beyond (IcePop); only answers whose mean |log ratio| is at most "
           "--sequence-limit (MirrorPop)")
      .choices({"none", "token", "sequence", "token-mask", "sequence-mask"});
  options
      .add("importance-cap", values.importance_cap,
           "largest importance weight between trainer and sampler; 0 = no correction, which needs --staleness 0")
      .range(0, 1e6);
  options.add("mask-low", values.mask_low, "smallest importance weight that the token mask keeps").range(0, 1);
  options.add("mask-high", values.mask_high, "largest importance weight that the token mask keeps").range(1, 1e6);
  options
      .add("sequence-limit", values.sequence_limit,
           "largest mean |log ratio| between trainer and sampler of an answer that the sequence mask keeps, nats a "
           "token")
      .range(0, 100);
}

void declare_turns(Options& options, RlOptions& values) {
  options
      .add("turns", values.turns,
           "turns of an episode: an answer, and repairs of it by the judge's words. Answers of groups in which nothing "
           "is correct wait to be repaired in later updates; 1 = no repairs")
      .range(1, 16);
  options.add("turns-after", values.turns_after, "updates before the first repairs, which answer tasks alone")
      .range(0, 1e9);
  options
      .add("repair-groups", values.repair_groups,
           "groups of an update, at most, that repair earlier answers in place of answering tasks; negative = half of "
           "--groups-per-step")
      .range(-1, 1e6);
}

void declare_stop(Options& options, RlOptions& values) {
  options
      .add("stop-entropy", values.stop_entropy,
           "stop when the entropy of the last 5 updates' answers is this factor above or below that of the run's first "
           "10; 0 = never")
      .range(0, 1e9);
  options
      .add("stop-length", values.stop_length,
           "stop when answers are this many times longer or shorter than in the run's first 10 updates; 0 = never")
      .range(0, 1e9);
  options
      .add("stop-difference", values.stop_difference,
           "stop when sampler and trainer differ by this many nats a token over the last 5 updates; 0 = never")
      .range(0, 1e9);
  options
      .add("stop-growth", values.stop_growth,
           "stop when that difference is above 0.05 and this many times that of the run's first 10 updates; 0 = never")
      .range(0, 1e9);
}

void declare_update(Options& options, RlOptions& values) {
  options
      .add("algorithm", values.algorithm,
           "algorithm of the literature, a row of switches that other options override (docs/reference/algorithms.md)")
      .choices(algorithm_names());
  options.add("aggregation", values.aggregation, "how tokens are weighted in the loss; auto: as the algorithm does")
      .choices({"auto", "token", "sequence-mean", "sequence-sum", "constant"});
  options.add("steps", values.steps, "policy updates").range(0, 1e9);
  options.add("groups-per-step", values.groups_per_step, "tasks of one update").range(1, 1e6);
  options.add("group-size", values.group_size, "answers to each task").range(2, 4096);
  options
      .add("refill", values.refill,
           "groups whose rewards are all alike are made anew, of other tasks, until an update has made this many times "
           "--groups-per-step; 1 = no refill, negative = the algorithm's own")
      .range(-1, 16);
  options
      .add("overlong-buffer", values.overlong_buffer,
           "the last tokens before --max-new-tokens, over which a penalty grows from 0 to 1; 0 = no penalty, "
           "negative = the algorithm's own")
      .range(-1, 1e6);
  options.add("mask-truncated", values.mask_truncated,
              "do not train on answers that were cut off; they still count in their group");
  options.add("gradient-steps", values.gradient_steps, "optimiser steps on the rollouts of one update").range(1, 64);
  options.add("clip-low", values.clip_low, "clip probability ratios below 1 - this; negative = the algorithm's own")
      .range(-1, 1);
  options.add("clip-high", values.clip_high, "clip probability ratios above 1 + this; negative = the algorithm's own")
      .range(-1, 100);
  options
      .add("dual-clip", values.dual_clip,
           "for negative advantages, bound the ratio's weight by this, above 1; 0 = no bound")
      .range(0, 100);
  declare_divergence(options, values);
  declare_correction(options, values);
  options
      .add("staleness", values.staleness,
           "most updates between the weights that sampled a rollout and those it trains; 0 with --deterministic")
      .range(0, 64);
  declare_turns(options, values);
  declare_stop(options, values);
  options.add("row-tokens", values.row_tokens, "tokens that go through the model at once in training").range(8, 1e7);
}

void declare_evaluation(Options& options, RlOptions& values) {
  options
      .add("eval-every", values.eval_every,
           "ask held-out tasks before the first update, after every so many and after the last; the best weights are "
           "kept in the run folder's best/; 0 = never")
      .range(0, 1e9);
  options.add("eval-tasks", values.eval_tasks, "tasks of such an evaluation, of as many structures as there are")
      .range(1, 1e6);
  options.add("eval-samples", values.eval_samples, "answers to each of them").range(1, 4096);
  options.add("eval-split", values.eval_split, "split that they are of").choices({"train", "heldout"});
}

}  // namespace

Options declare(RlOptions& values) {
  Options options("kgtrain rl",
                  "Reinforcement learning from what happens when the policy's kernels are compiled and run.");
  options.add("workers", values.workers, "worker processes started on this host").range(0, 4096);
  options.add("data", values.data,
              "data set with the tasks, where rollouts are stored; default: the one the model's run used");
  declare_model(options, values.model);
  declare_run(options, values, "rl", "rl- and the time");
  options.add("deterministic", values.deterministic,
              "no staleness, and groups in a fixed order: the same weights bit for bit");
  declare_update(options, values);
  declare_sampling(options, values, /*greedy=*/false);
  declare_training(options, values, "update");
  declare_judging(options, values);
  declare_prompt_form(options, values.prompt_form);
  options.add("split", values.split, "only tasks of this split").choices({"train", "heldout"});
  declare_evaluation(options, values);
  options
      .add("order", values.order,
           "order of the tasks. shuffled: each comes once before any comes again; curriculum: tasks with a pass rate "
           "of 0.1 to 0.9, and the next level once half of the answers pass")
      .choices({"shuffled", "curriculum"});
  declare_device(options, values);
  declare_server(options, values);
  options.add("sampling-device", values.sampling_device,
              "where the generator of this host samples; same: on --device, whose memory they then share");
  options.add("seed", values.seed, "random seed for the order of the tasks and for sampling");
  options
      .add("sampling-dtype", values.sampling_dtype,
           "type that the generator holds matrices in; auto: as --dtype. bfloat16 and int8 read a half and a quarter "
           "of the memory for each token; --importance-cap corrects for the difference")
      .choices({"auto", "float32", "bfloat16", "int8"});
  options.add("bind", values.bind,
              "address for workers on other hosts, tcp://ADDRESS:PORT (needs CURVE keys); default: a socket in the run "
              "folder");
  options.add("keys", values.keys,
              "folder of the CURVE keys that kgtrain-worker keys makes; default: keys in the run folder");
  options
      .add("check-verdicts", values.check_verdicts,
           "part of the verdicts of workers on other hosts that is judged again on this host; of each worker's first "
           "200 "
           "results it is at least half")
      .range(0, 1);
  return options;
}

}  // namespace kg::trainer
