#include "trainer/dpo_options.h"

namespace kg::trainer {

Options declare(DpoOptions& values) {
  Options options("kgtrain dpo",
                  "Preference training on stored rollouts: answers to the same prompt, ordered by what happened when "
                  "their kernels were compiled and run.");
  options.add("data", values.data,
              "data set that has the rollouts and gets the pairs; default: the one the model's run used");
  declare_model(options, values.model);
  declare_run(options, values, "dpo", "dpo-YYYYMMDD-HHMMSS");
  options.add("from-run", values.from_run,
              "only rollouts with this run id; empty = all (kgtrain data info lists them)");
  options
      .add("loss", values.loss,
           "dpo: logistic loss on the margin of a pair; ipo: squared distance of the margin from 1 / (2 beta); kto: a "
           "loss on each answer by itself")
      .choices({"dpo", "ipo", "kto"});
  options.add("beta", values.beta, "how strongly the policy is held to the starting model").range(1e-6, 100);
  options
      .add("likelihood-weight", values.likelihood_weight,
           "weight of the chosen answers' mean negative log-likelihood, which keeps them likely; 0 = off")
      .range(0, 100);
  options
      .add("undesirable-weight", values.undesirable_weight,
           "kto: weight of rejected answers; 1 = the same as chosen ones")
      .range(0, 100);
  options.add("pairs-per-prompt", values.pairs_per_prompt, "maximum pairs made from the answers to one prompt")
      .range(1, 1e6);
  options
      .add("wrong-over-broken", values.wrong_over_broken,
           "largest fraction of pairs that prefer a wrong kernel to one that does not compile: such pairs teach the "
           "model only to please the compiler")
      .range(0, 1);
  options.add("pairs-per-step", values.pairs_per_step, "pairs per optimiser step").range(1, 1e6);
  options.add("epochs", values.epochs, "passes over the pairs, if --steps is not given").range(0, 1e6);
  options.add("steps", values.steps, "optimiser steps; 0 = decided by --epochs").range(0, 1e9);
  options.add("row-tokens", values.row_tokens, "tokens per forward pass").range(8, 1e7);
  declare_training(options, values, "step");
  options.add("final-learning-rate", values.final_learning_rate, "learning rate at the end, as a fraction of the peak")
      .range(0, 1);
  options.add("seed", values.seed, "random seed for selecting and ordering the pairs");
  declare_device(options, values);
  return options;
}

}  // namespace kg::trainer
