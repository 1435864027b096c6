#include "trainer/eval_options.h"

#include <charconv>
#include <system_error>

#include "base/error.h"

namespace kg::trainer {

Options declare(EvalOptions& values) {
  Options options("kgtrain eval",
                  "Compile rate, correct rate and Pass@k on tasks, with intervals clustered by operator structure.");
  options.add("data", values.data, "data set that has the tasks and gets the answers");
  declare_model(options, values.model);
  options.add("label", values.label,
              "name of this evaluation in the data set and in tables; default: the model's name");
  declare_run(options, values, "eval", "eval-LABEL-YYYYMMDD-HHMMSS");
  options.add("table", values.table, "generate nothing: print a table of all labels from the records in the data set");
  options.add("samples", values.samples, "answers to each task").range(1, 1e6);
  options
      .add("turns", values.turns,
           "turns per episode: answers that fail are repaired with the judge's feedback, and the repairs are compared "
           "with as many tokens of fresh answers to the same tasks; 1 = no repairs")
      .range(1, 16);
  options.add("tasks", values.tasks, "number of tasks, or all; one task of each operator structure comes first");
  options.add("split", values.split, "only tasks of this split").choices({"heldout", "train"});
  options.add("only", values.only, "only tasks whose id contains this text, or one of several, separated by commas");
  options.add("checkout", values.checkout,
              "imported tasks: checkout of the benchmark, if it has moved since the import");
  declare_prompt_form(options, values.prompt_form);
  declare_sampling(options, values, /*greedy=*/true);
  options.add("workers", values.workers, "worker processes started on this host").range(1, 4096);
  declare_device(options, values);
  declare_server(options, values);
  declare_judging(options, values);
  options.add("seed", values.seed, "random seed for sampling");
  options.add(
      "part", values.part,
      "I/N: only every N-th task, starting with task I (0 to N-1); the answers are stored only in the run's folder");
  options.add("merge", values.merge,
              "generate nothing: merge the parts made with --part, whose run folders are in this folder, as if one "
              "process had made them");
  options.add("json", values.json, "print one JSON object for each label instead of the table");
  return options;
}

std::size_t task_limit(const EvalOptions& options) {
  const std::string& text = options.tasks;
  if (text == "all") return 0;
  std::size_t limit = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || limit == 0)
    throw Error("--tasks got \"" + text + "\", wanted a number of at least 1, or all", "kgtrain eval", "--tasks 24");
  return limit;
}

}  // namespace kg::trainer
