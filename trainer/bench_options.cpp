#include "trainer/bench_options.h"

namespace kg::trainer {

Options declare(BenchOptions& values) {
  Options options("kgtrain bench",
                  "Measures training and generation, taking turns with other programs on the same model and shapes: "
                  "transformers (sft, decode), TRL (grpo, sft with --data), llama.cpp (decode).");
  options.positional("WHAT", values.what,
                     "sft: a step of forward, backward, clipping and AdamW, loss on all tokens; grpo: sampling and an "
                     "update; decode: generation");
  options.add("model", values.model,
              "model, as elsewhere; or a config.json, whose weights are then random (not for TRL, llama.cpp)");
  options.add("data", values.data,
              "sft: train on samples of this data set instead of random documents, beside TRL with packing");
  options.add("batch-tokens", values.batch_tokens, "sft with --data: maximum tokens per step").range(1, 1e9);
  options.add("documents", values.documents, "sft: documents per row; a row is one forward pass").range(1, 1e6);
  options.add("length", values.length, "sft: tokens per document; with --data, tokens per row").range(2, 1e6);
  options.add("rows", values.rows, "sft: rows per step").range(1, 1e6);
  options.add("prompts", values.prompts, "grpo, decode: number of prompts").range(1, 1e6);
  options.add("completions", values.completions, "grpo, decode: answers to each prompt").range(1, 1e6);
  options.add("prompt-tokens", values.prompt_tokens, "grpo, decode: tokens per prompt").range(1, 1e6);
  options.add("new-tokens", values.new_tokens, "grpo, decode: tokens per answer").range(1, 1e6);
  options.add("steps", values.steps, "steps per round, after one warm-up step").range(1, 1e6);
  options.add("rounds", values.rounds, "rounds in which all programs are measured in turn; the best step counts")
      .range(1, 1000);
  declare_device(options, values);
  options.add("peak", values.peak, "sft: dense peak of the device in TFLOP/s, to report the fraction reached (MFU)")
      .range(0, 1e6);
  options.add("peers", values.peers, "programs to measure beside kgtrain")
      .choices({"all", "none", "transformers", "trl", "llama.cpp"});
  options.add("python", values.python,
              "Python that has the peers (scripts/setup.sh --with-peers); default: $KGTRAIN_PYTHON");
  options.add("json", values.json, "print the measurements as one line of JSON instead of a table");
  options.add("trace", values.trace, "trace one more step into this file, for chrome://tracing; needs --peers none");
  return options;
}

}  // namespace kg::trainer
