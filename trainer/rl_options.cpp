#include "trainer/rl_options.h"

#include "trainer/algorithm.h"

namespace kg::trainer {
namespace {

void declare_divergence(Options& options, RlOptions& values) {
  options.add("kl-weight", values.kl_weight, "weight of the divergence from the starting model; 0 = off").range(0, 100);
  options
      .add("kl-estimator", values.kl_estimator,
           "estimator of the divergence in the loss; k2 has the gradient of KL(policy || start), k3 that of KL(start "
           "|| policy)")
      .choices({"k2", "k3"});
  options.add("kl-in-reward", values.kl_in_reward,
              "subtract the divergence (k1) from the reward instead of adding it to the loss");
}

void declare_correction(Options& options, RlOptions& values) {
  options
      .add("correction", values.correction,
           "how the loss corrects for the sampler's distribution, which differs from the trainer's because of "
           "staleness and number types. token, sequence: capped importance weights of tokens or of whole answers; "
           "token-mask: importance weights from --mask-low to --mask-high, 0 outside (IcePop); sequence-mask: only "
           "answers whose mean |log ratio| is at most --sequence-limit (MirrorPop)")
      .choices({"none", "token", "sequence", "token-mask", "sequence-mask"});
  options
      .add("importance-cap", values.importance_cap,
           "largest importance weight (trainer / sampler); 0 = no correction, which needs --staleness 0")
      .range(0, 1e6);
  options.add("mask-low", values.mask_low, "smallest importance weight that the token mask keeps").range(0, 1);
  options.add("mask-high", values.mask_high, "largest importance weight that the token mask keeps").range(1, 1e6);
  options
      .add("sequence-limit", values.sequence_limit,
           "the sequence mask keeps answers whose mean |log ratio| between trainer and sampler is at most this, in "
           "nats per token")
      .range(0, 100);
}

void declare_turns(Options& options, RlOptions& values) {
  options
      .add("turns", values.turns,
           "turns per episode: an answer, then repairs of it with the judge's feedback. If no answer of a group is "
           "correct, one of them waits to be repaired in a later update; 1 = no repairs")
      .range(1, 16);
  options.add("turns-after", values.turns_after, "number of updates at the start of the run that make no repairs")
      .range(0, 1e9);
  options
      .add("repair-groups", values.repair_groups,
           "maximum groups per update that repair earlier answers instead of answering tasks; negative = half of "
           "--groups-per-step")
      .range(-1, 1e6);
}

void declare_stop(Options& options, RlOptions& values) {
  options
      .add("stop-entropy", values.stop_entropy,
           "stop when the mean entropy of the last 5 updates' answers has risen or fallen by this factor since the "
           "run's first 10 updates; 0 = never")
      .range(0, 1e9);
  options
      .add("stop-length", values.stop_length,
           "stop when the mean length of the last 5 updates' answers has risen or fallen by this factor since the "
           "run's first 10 updates; 0 = never")
      .range(0, 1e9);
  options
      .add("stop-difference", values.stop_difference,
           "stop when the log-probabilities of sampler and trainer differ by this many nats per token, averaged over "
           "the last 5 updates; 0 = never")
      .range(0, 1e9);
  options
      .add("stop-growth", values.stop_growth,
           "stop when the difference that --stop-difference limits is above 0.05 and this many times as large as in "
           "the run's first 10 updates; 0 = never")
      .range(0, 1e9);
}

void declare_update(Options& options, RlOptions& values) {
  options
      .add("algorithm", values.algorithm,
           "published algorithm: a preset that other options can override (docs/reference/algorithms.md)")
      .choices(algorithm_names());
  options.add("aggregation", values.aggregation, "how the loss weights tokens; auto = the algorithm's own")
      .choices({"auto", "token", "sequence-mean", "sequence-sum", "constant"});
  options.add("steps", values.steps, "policy updates").range(0, 1e9);
  options
      .add("answer-tokens", values.answer_tokens,
           "end the run early, with the update after which its answers have this many tokens in all, as for comparing "
           "algorithms at equal cost; warm-up and decay then follow the tokens; 0 = only --steps ends it")
      .range(0, 1e15);
  options.add("groups-per-step", values.groups_per_step, "tasks per update").range(1, 1e6);
  options.add("group-size", values.group_size, "answers to each task").range(2, 4096);
  options
      .add("refill", values.refill,
           "replace groups whose rewards are all equal by groups of other tasks; an update makes at most this many "
           "times --groups-per-step groups; 1 = no refill, negative = the algorithm's own")
      .range(-1, 16);
  options
      .add("overlong-buffer", values.overlong_buffer,
           "penalty on long answers: it grows from 0 to 1 over this many tokens before --max-new-tokens; 0 = no "
           "penalty, negative = the algorithm's own")
      .range(-1, 1e6);
  options.add("mask-truncated", values.mask_truncated,
              "do not train on answers that were cut off; their rewards still count in their group");
  options.add("gradient-steps", values.gradient_steps, "optimiser steps on the rollouts of one update").range(1, 64);
  options.add("clip-low", values.clip_low, "clip probability ratios below 1 - this; negative = the algorithm's own")
      .range(-1, 1);
  options.add("clip-high", values.clip_high, "clip probability ratios above 1 + this; negative = the algorithm's own")
      .range(-1, 100);
  options.add("dual-clip", values.dual_clip, "largest probability ratio for negative advantages, above 1; 0 = no bound")
      .range(0, 100);
  declare_divergence(options, values);
  declare_correction(options, values);
  options
      .add("staleness", values.staleness,
           "maximum updates between the weights that sampled a rollout and the weights it trains; --deterministic "
           "needs 0")
      .range(0, 64);
  options
      .add("sync-every", values.sync_every,
           "updates between new weights for the workers; N needs a --staleness of N - 1 or more. Saves sending the "
           "weights, where they are large or workers far away")
      .range(1, 65);
  declare_turns(options, values);
  declare_stop(options, values);
  options.add("row-tokens", values.row_tokens, "tokens per forward pass in training").range(8, 1e7);
}

void declare_evaluation(Options& options, RlOptions& values) {
  options
      .add("eval-every", values.eval_every,
           "updates between evaluations on held-out tasks; the run also evaluates before the first update and after "
           "the last, and keeps the best weights in its folder's best/; 0 = never")
      .range(0, 1e9);
  options.add("eval-tasks", values.eval_tasks, "tasks per evaluation, from as many operator structures as possible")
      .range(1, 1e6);
  options.add("eval-samples", values.eval_samples, "answers to each evaluation task").range(1, 4096);
  options.add("eval-split", values.eval_split, "split of the evaluation tasks").choices({"train", "heldout"});
}

}  // namespace

Options declare(RlOptions& values) {
  Options options("kgtrain rl",
                  "Reinforcement learning from what happens when the policy's kernels are compiled and run.");
  options.add("workers", values.workers, "worker processes started on this host").range(0, 4096);
  options.add("data", values.data,
              "data set that has the tasks and gets the rollouts; default: the one the model's run used");
  declare_model(options, values.model);
  declare_run(options, values, "rl", "rl-YYYYMMDD-HHMMSS");
  options.add("deterministic", values.deterministic,
              "no staleness, and groups in a fixed order, so that a repeated run gets the same weights bit for bit");
  declare_update(options, values);
  declare_sampling(options, values, /*greedy=*/false);
  declare_training(options, values, "update");
  declare_judging(options, values);
  declare_prompt_form(options, values.prompt_form);
  options.add("split", values.split, "only tasks of this split").choices({"train", "heldout"});
  declare_evaluation(options, values);
  options
      .add("order", values.order,
           "order of the tasks. shuffled: each task comes once before any comes again; curriculum: tasks with a pass "
           "rate from 0.1 to 0.9, and the next level once half of a level's answers pass")
      .choices({"shuffled", "curriculum"});
  declare_device(options, values);
  declare_server(options, values);
  options.add("sampling-device", values.sampling_device,
              "device of this host's generator; same: --device, whose memory the generator and training then share");
  options.add("seed", values.seed, "random seed for the order of the tasks and for sampling");
  options
      .add("sampling-dtype", values.sampling_dtype,
           "number type of the generator's matrices; auto: as --dtype. bfloat16 and int8 read a half and a quarter of "
           "float32's bytes per token; --correction and --importance-cap correct for the difference")
      .choices({"auto", "float32", "bfloat16", "int8"});
  options.add("bind", values.bind,
              "address for workers on other hosts, tcp://ADDRESS:PORT (needs CURVE keys); default: a socket in the run "
              "folder");
  options.add("keys", values.keys,
              "folder with the CURVE keys that kgtrain-worker keys makes; default: keys in the run folder");
  options
      .add("check-verdicts", values.check_verdicts,
           "fraction of the verdicts from workers on other hosts that is judged again on this host; at least half of "
           "each worker's first 200 results")
      .range(0, 1);
  return options;
}

}  // namespace kg::trainer
