#include "trainer/model_options.h"

namespace kg::trainer {

Options declare(ExportOptions& values) {
  Options options("kgtrain export", "Write a model as a Hugging Face directory.");
  options.add("model", values.model,
              "Hugging Face directory, GGUF file, run, or a name in $KGTRAIN_HOME/models or runs");
  options.add("out", values.out, "folder to write; must not exist").required();
  options.add("dtype", values.dtype, "type of the weights in the file").choices({"bfloat16", "float32"});
  return options;
}

Options declare(GenerateOptions& values) {
  Options options("kgtrain generate", "Print answers of a model to a prompt or to a task of a data set.");
  options.add("model", values.model,
              "Hugging Face directory, GGUF file, run, or a name in $KGTRAIN_HOME/models or runs");
  options.add("prompt", values.prompt, "what the user says; empty: the prompt of --task");
  options.add("data", values.data, "data set that --task is looked up in");
  options.add("task", values.task, "id of the task to answer");
  options.add("prompt-form", values.prompt_form, "form of the task's prompt").choices({"short", "npukernelbench"});
  options.add("samples", values.samples, "answers").range(1, 1e6);
  options.add("max-new-tokens", values.max_new_tokens, "longest answer").range(1, 1e6);
  options.add("temperature", values.temperature, "of sampling; 0: greedy").range(0, 100);
  options.add("top-k", values.top_k, "sample among this many most likely tokens; 0: all").range(0, 1e6);
  options.add("top-p", values.top_p, "sample among tokens of this total probability; 1: all").range(0, 1);
  options.add("min-p", values.min_p, "leave out tokens less likely than this part of the likeliest; 0: none")
      .range(0, 1);
  options.add("seed", values.seed, "of sampling");
  options.add("device", values.device, "where the model runs: cpu, cuda, cuda:N, npu, npu:N");
  options
      .add("dtype", values.dtype,
           "type of the weights; auto: bfloat16 on devices and CPUs that multiply it, else float32")
      .choices({"auto", "float32", "bfloat16"});
  options.add("threads", values.threads, "computing threads; 0: one for each core").range(0, 4096);
  return options;
}

}  // namespace kg::trainer
