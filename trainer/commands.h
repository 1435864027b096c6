#pragma once

#include <string>
#include <vector>

// The commands that need a model, each declared only here: name, struct of its options, line of `kgtrain --help`.
// kgtrain prints their help and starts kgtrain-learner, which runs run_NAME.
#define KG_LEARNER_COMMANDS(X)                                                                     \
  X(sft, SftOptions, "supervised fine-tuning on Ascend-CoT samples")                               \
  X(rl, RlOptions, "reinforcement learning from compiling and running the model's kernels")        \
  X(dpo, DpoOptions, "preference training on stored rollouts, ordered by their verdicts")          \
  X(eval, EvalOptions, "compile and correct rates of a model or of given answers, with intervals") \
  X(generate, GenerateOptions, "answer one prompt with a model")                                   \
  X(export, ExportOptions, "write a model as a Hugging Face directory")                            \
  X(bench, BenchOptions, "speed of training and generation, beside transformers, TRL, llama.cpp")

namespace kg::trainer {

#define KG_DECLARE_COMMAND(name, Values, summary) int run_##name(int argc, const char* const* argv);
KG_LEARNER_COMMANDS(KG_DECLARE_COMMAND)
#undef KG_DECLARE_COMMAND

// The parts of such a command that work without LibTorch.
struct LearnerCommand {
  const char* name;
  const char* summary;
  std::string (*help)();
  std::string (*reference)();  // Options::reference_markdown
};
const std::vector<LearnerCommand>& learner_commands();

}  // namespace kg::trainer
