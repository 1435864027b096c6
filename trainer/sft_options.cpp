#include "trainer/sft_options.h"

namespace kg::trainer {

Options declare(SftOptions& values) {
  Options options("kgtrain sft", "Supervised fine-tuning on the samples of a data set; only the answers are learned.");
  options.add("data", values.data, "data set: a path, or a name in $KGTRAIN_HOME/data");
  options.add("model", values.model,
              "Hugging Face directory, GGUF file, run, or a name in $KGTRAIN_HOME/models or runs");
  options.add("out", values.out, "run folder, or a name in $KGTRAIN_HOME/runs; empty: sft- and the time");
  options.add("resume", values.resume,
              "go on from the newest checkpoint of --out, or of the latest sft run that did not end");
  options.add("steps", values.steps, "optimiser steps; 0: as --tokens or --epochs say").range(0, 1e9);
  options.add("epochs", values.epochs, "passes over the data, where neither --steps nor --tokens is given")
      .range(0, 1e6);
  options.add("tokens", values.tokens, "train on about this many tokens, prompts included; 0: as --epochs says")
      .range(0, 1e13);
  options.add("batch-tokens", values.batch_tokens, "tokens of one optimiser step, at most").range(1, 1e9);
  options
      .add("sequence-length", values.sequence_length,
           "tokens of one packed row; longer samples are left out and counted")
      .range(8, 1e6);
  options.add("learning-rate", values.learning_rate, "highest learning rate").range(0, 1);
  options.add("decay", values.decay, "course of the learning rate after the warm-up")
      .choices({"cosine", "linear", "constant"});
  options.add("warmup", values.warmup, "part of the steps in which the learning rate rises").range(0, 1);
  options.add("final-learning-rate", values.final_learning_rate, "where the decay ends, as part of the highest")
      .range(0, 1);
  options.add("weight-decay", values.weight_decay, "decoupled, matrices only").range(0, 10);
  options.add("clip-norm", values.clip_norm, "largest norm of the gradient; 0: none").range(0, 1e9);
  options.add("recompute-layers", values.recompute_layers,
              "keep of each layer only what goes in, compute the rest once more: less memory, a third more work");
  declare_adapters(options, values);
  options.add("seed", values.seed, "of the data order");
  options
      .add("dtype", values.dtype, "type computed in (master weights are float32); auto: bfloat16 where the CPU has it")
      .choices({"auto", "float32", "bfloat16"});
  options.add("device", values.device, "where the learner computes: cpu, cuda, cuda:N, npu, npu:N");
  options.add("threads", values.threads, "computing threads; 0: one for each core").range(0, 4096);
  options.add("checkpoint-every", values.checkpoint_every, "steps between checkpoints; 0: at the end only")
      .range(0, 1e9);
  options.add("keep-checkpoints", values.keep_checkpoints, "newest checkpoints kept").range(1, 1000);
  options.add("split", values.split, "samples of this split; empty: all").choices({"train", "heldout", ""});
  options.add("kind", values.kind, "samples of this kind (kernel, repair, prediction, ...); empty: all");
  options.add("language", values.language, "samples in this language; empty: both").choices({"ascendc", "dsl", ""});
  options.add("judge-version", values.judge_version,
              "samples that this version of the judge judged, and those without a verdict; empty: all must be of one");
  options.add("style", values.style, "samples of this style (dsl, queues, compact, ...); empty: all");
  options.add("prompt-form", values.prompt_form, "samples of this form of prompt (short, npukernelbench); empty: all");
  options.add("dry-run", values.dry_run,
              "print the resolved configuration with estimates of memory and time, train nothing");
  return options;
}

}  // namespace kg::trainer
