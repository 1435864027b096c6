#include <cstdio>
#include <string>

#include "base/error.h"
#include "base/nearest_name.h"
#include "base/options.h"
#include "cli/command.h"
#include "dataset/dataset.h"
#include "proto/dtype.h"

namespace kg::cli {
namespace {

using dataset::Dataset;
using dataset::OpenMode;

int run_list(int argc, const char* const* argv) {
  std::string name = "ascend_cot.h5", split, family;
  Options options("kgtrain tasks list", "Prints the ids of the tasks of a data set, one a line.");
  options.add("data", name, "data set")
      .add("split", split, "only this split: train or heldout")
      .add("family", family, "only this family of operators");
  if (!options.parse(argc, argv)) return 0;
  const auto data = Dataset::open(dataset::find_dataset(name), OpenMode::kRead);
  if (family.empty()) {
    for (const std::string& id : data->task_ids(split)) std::printf("%s\n", id.c_str());
    return 0;
  }
  data->for_each_task([&](const proto::Task& task) {
    if (task.family() == family && (split.empty() || task.split() == split)) std::printf("%s\n", task.id().c_str());
    return true;
  });
  return 0;
}

std::string shape_text(const proto::TensorSpec& spec) {
  std::string text = proto::ascendc_type(spec.dtype()) + "[";
  for (int i = 0; i < spec.shape_size(); ++i) text += (i > 0 ? "," : "") + std::to_string(spec.shape(i));
  return text + "]";
}

void print_case(const proto::TaskCase& task_case, int index) {
  std::printf("case %d, seed %llu\n", index, static_cast<unsigned long long>(task_case.seed()));
  for (const proto::TensorSpec& spec : task_case.inputs())
    std::printf("  input  %s: %s, %s %g to %g\n", spec.name().c_str(), shape_text(spec).c_str(),
                proto::Distribution::Kind_Name(spec.distribution().kind()).c_str(), spec.distribution().low(),
                spec.distribution().high());
  for (const proto::TensorSpec& spec : task_case.outputs())
    std::printf("  output %s: %s\n", spec.name().c_str(), shape_text(spec).c_str());
}

int run_show(int argc, const char* const* argv) {
  std::string id, name = "ascend_cot.h5", prompt = "short";
  Options options("kgtrain tasks show",
                  "Prints a task: where it belongs, its cases, what counts as correct, its prompt.");
  options.positional("ID", id, "id of the task; kgtrain tasks list prints them")
      .add("data", name, "data set")
      .add("prompt", prompt, "form of the prompt to print")
      .choices({"short", "npukernelbench"});
  if (!options.parse(argc, argv)) return 0;
  const auto data = Dataset::open(dataset::find_dataset(name), OpenMode::kRead);
  const auto task = data->task(id);
  if (!task)
    throw Error("no task \"" + id + "\" in " + name, "kgtrain tasks show", "kgtrain tasks list --data " + name);
  std::printf(
      "task       %s\nsuite      %s\ncategory   %s\nfamily     %s\nstructure  %s\nsplit      %s\nlevel      %d\n",
      task->id().c_str(), task->suite().c_str(), task->category().c_str(), task->family().c_str(),
      task->structure().c_str(), task->split().c_str(), task->level());
  std::printf("kernel     %s on %u cores\ntolerance  relative 1e-3 or two units in the last place, or absolute %.3g\n",
              task->entry_point().c_str(), task->block_dim(), task->absolute_bound());
  for (int i = 0; i < task->cases_size(); ++i) print_case(task->cases(i), i);
  std::printf("\n%s\n", prompt == "short" ? task->prompt_short().c_str() : task->prompt_npukernelbench().c_str());
  return 0;
}

int run_import(int argc, const char* const* argv) {
  const std::string suite = argc > 1 ? argv[1] : "";
  if (suite == "--help") {
    std::printf(
        "kgtrain tasks import SUITE DIR --out FILE\n\nReads the tasks of a benchmark. No suite can be read by this "
        "version.\n");
    return 0;
  }
  throw Error(
      "this version cannot import benchmarks" + (suite.empty() ? std::string() : " (\"" + suite + "\" is wanted)"),
      "kgtrain tasks import", "kgtrain data build makes built-in tasks");
}

constexpr Command kTaskCommands[] = {
    {"list", "print the ids of the tasks of a data set", &run_list},
    {"show", "print one task", &run_show},
    {"import", "read the tasks of a benchmark (not in this version)", &run_import},
};

}  // namespace

int run_tasks(int argc, const char* const* argv) {
  const std::string name = argc > 1 ? argv[1] : "--help";
  std::vector<std::string> known;
  for (const Command& command : kTaskCommands) {
    if (name == command.name) return command.run(argc - 1, argv + 1);
    known.push_back(command.name);
  }
  if (name == "--help") {
    std::printf("kgtrain tasks COMMAND\n\n");
    for (const Command& command : kTaskCommands) std::printf("  %-8s %s\n", command.name, command.summary);
    std::printf("\nkgtrain tasks COMMAND --help lists its options.\n");
    return 0;
  }
  const std::string near = nearest_name(name, known);
  throw Error("unknown command \"kgtrain tasks " + name + "\"", "command line",
              near.empty() ? "kgtrain tasks --help lists them" : "did you mean \"" + near + "\"?");
}

}  // namespace kg::cli
