#include "trainer/eval_options.h"

#include "reward/reward_config.h"

namespace kg::trainer {

Options declare(EvalOptions& values) {
  Options options("kgtrain eval",
                  "Compile rate, correct rate and Pass@k on tasks, with intervals clustered by operator structure.");
  options.add("data", values.data, "data set with the tasks, where the answers are stored");
  options.add("model", values.model,
              "Hugging Face directory, GGUF file, run, or a name in $KGTRAIN_HOME/models or runs");
  options.add("label", values.label, "name of this evaluation in the data set and in tables; empty: the model's name");
  options.add("out", values.out, "run folder, or a name in $KGTRAIN_HOME/runs; empty: eval-, the label and the time");
  options.add("resume", values.resume, "finish the evaluation in --out, or the latest one that did not end");
  options.add("table", values.table, "generate nothing: print a table of all labels from the records in the data set");
  options.add("samples", values.samples, "answers to each task").range(1, 1e6);
  options.add("tasks", values.tasks, "number of tasks, or all; one of each structure comes first");
  options.add("split", values.split, "tasks of this split").choices({"heldout", "train"});
  options.add("only", values.only,
              "only tasks whose id contains this, or one of several parts with commas between them");
  options.add("checkout", values.checkout,
              "imported tasks: checkout of the benchmark, if it is no longer where it was imported from");
  options.add("prompt-form", values.prompt_form, "form of the prompt").choices({"short", "npukernelbench"});
  options.add("temperature", values.temperature, "of sampling; 0: greedy").range(0, 100);
  options.add("top-k", values.top_k, "sample among this many most likely tokens; 0: all").range(0, 1e6);
  options.add("top-p", values.top_p, "sample among tokens of this total probability; 1: all").range(0, 1);
  options.add("min-p", values.min_p, "leave out tokens less likely than this part of the likeliest; 0: none")
      .range(0, 1);
  options.add("max-new-tokens", values.max_new_tokens, "longest answer").range(1, 1e6);
  options.add("workers", values.workers, "worker processes started on this host").range(1, 4096);
  options.add("threads", values.threads, "computing threads of the generator; 0: one for each core").range(0, 4096);
  options.add("device", values.device, "where the generator samples: cpu, cuda, cuda:N, npu, npu:N");
  options.add("dtype", values.dtype, "type computed in; auto: bfloat16 where the CPU has it")
      .choices({"auto", "float32", "bfloat16"});
  options.add("reward", values.reward, "preset").choices(reward::reward_presets());
  options.add("language", values.language, "language of the kernels").choices({"ascendc", "dsl"});
  options.add("seed", values.seed, "of sampling");
  options.add("lease-seconds", values.lease_seconds, "time a worker has for one task").range(1, 1e6);
  options.add("json", values.json, "print one JSON object for each label instead of the table");
  options.add("dry-run", values.dry_run, "print the resolved configuration, generate nothing");
  return options;
}

}  // namespace kg::trainer
