#include "trainer/sft_options.h"

namespace kg::trainer {

Options declare(SftOptions& values) {
  Options options("kgtrain sft", "Supervised fine-tuning on the samples of a data set; only the answers are learned.");
  options.add("data", values.data, "data set: a path, or a name in $KGTRAIN_HOME/data");
  declare_model(options, values.model);
  declare_run(options, values, "sft", "sft-YYYYMMDD-HHMMSS");
  options.add("steps", values.steps, "optimiser steps; 0 = decided by --tokens or --epochs").range(0, 1e9);
  options.add("epochs", values.epochs, "passes over the data, if neither --steps nor --tokens is given").range(0, 1e6);
  options.add("tokens", values.tokens, "train on about this many tokens, prompts included; 0 = decided by --epochs")
      .range(0, 1e13);
  options.add("batch-tokens", values.batch_tokens, "maximum tokens per optimiser step").range(1, 1e9);
  options
      .add("sequence-length", values.sequence_length, "tokens per packed row; longer samples are left out and counted")
      .range(8, 1e6);
  declare_training(options, values, "step");
  options.add("final-learning-rate", values.final_learning_rate, "learning rate at the end, as a fraction of the peak")
      .range(0, 1);
  options.add("seed", values.seed, "random seed for the order of the data");
  declare_device(options, values);
  options.add("split", values.split, "only samples of this split; empty = all").choices({"train", "heldout", ""});
  options.add("kind", values.kind, "only samples of this kind (kernel, repair, prediction, ...); empty = all");
  options.add("language", values.language, "only samples in this language; empty = both")
      .choices({"ascendc", "dsl", ""});
  options.add("style", values.style, "only samples of this style (dsl, queues, compact, ...); empty = all");
  options.add("prompt-form", values.prompt_form,
              "only samples with this prompt form (short, npukernelbench); empty = all");
  options.add("judge-version", values.judge_version,
              "only samples judged by this version of the judge, and samples without a verdict; empty = all, which "
              "must then come from one version");
  return options;
}

}  // namespace kg::trainer
