#include "trainer/bench_options.h"

namespace kg::trainer {

Options declare(BenchOptions& values) {
  Options options(
      "kgtrain bench",
      "Measures training and generation, in turn with other people's programs on the same model and shapes: "
      "transformers (sft, decode), TRL (grpo, sft with --data), llama.cpp (decode).");
  options.positional("WHAT", values.what,
                     "sft: a step of forward, backward, clipping and AdamW, loss on all tokens; grpo: sampling and an "
                     "update; decode: generation");
  options.add("model", values.model,
              "model, as elsewhere; or the config.json of one, whose weights are then drawn (not for TRL, llama.cpp)");
  options.add("data", values.data,
              "sft: samples of this data set in place of drawn documents, beside TRL with packing");
  options.add("batch-tokens", values.batch_tokens, "sft with --data: most tokens of a step").range(1, 1e9);
  options.add("documents", values.documents, "sft: documents of a row, which goes through the model at once")
      .range(1, 1e6);
  options.add("length", values.length, "sft: tokens of a document; with --data of a row").range(2, 1e6);
  options.add("rows", values.rows, "sft: rows of a step").range(1, 1e6);
  options.add("prompts", values.prompts, "grpo, decode: prompts").range(1, 1e6);
  options.add("completions", values.completions, "grpo, decode: answers to each prompt").range(1, 1e6);
  options.add("prompt-tokens", values.prompt_tokens, "grpo, decode: tokens of a prompt").range(1, 1e6);
  options.add("new-tokens", values.new_tokens, "grpo, decode: tokens of an answer").range(1, 1e6);
  options.add("steps", values.steps, "steps of a round, after one that does not count").range(1, 1e6);
  options.add("rounds", values.rounds, "how often all are measured in turn; the best step counts").range(1, 1000);
  declare_device(options, values);
  options.add("peak", values.peak, "sft: dense rate of the device in TFLOP/s, to state the share of it (MFU)")
      .range(0, 1e6);
  options.add("peers", values.peers, "beside which").choices({"all", "none", "transformers", "trl", "llama.cpp"});
  options.add("python", values.python,
              "Python that has the peers (scripts/setup.sh --with-peers); default: $KGTRAIN_PYTHON");
  options.add("json", values.json, "print what was measured as one line of JSON, instead of a table");
  options.add("trace", values.trace, "file for a trace of one more step, for chrome://tracing; with --peers none");
  return options;
}

}  // namespace kg::trainer
