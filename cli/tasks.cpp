#include <google/protobuf/util/json_util.h>

#include <cstdio>
#include <set>
#include <string>

#include "base/error.h"
#include "base/options.h"
#include "base/suggestion.h"
#include "cli/command.h"
#include "cli/own_operator.h"
#include "cli/unknown_task.h"
#include "dataset/benchmarks/import.h"
#include "dataset/store/dataset.h"
#include "dataset/store/dsl_prompt.h"
#include "dataset/store/id_filter.h"
#include "npu/chip.h"
#include "proto/dtype.h"

namespace kg::cli {
namespace {

using dataset::Dataset;
using dataset::OpenMode;

int run_list(int argc, const char* const* argv) {
  std::string name = "ascend_cot.h5", split, family;
  Options options("kgtrain tasks list", "Prints the ids of the tasks of a data set, one per line.");
  options.add("data", name, "data set")
      .add("split", split, "only this split; empty: all")
      .choices({"", "train", "heldout"})
      .add("family", family, "only this family of operators");
  if (!options.parse(argc, argv)) return 0;
  const auto data = Dataset::open(dataset::find_dataset(name), OpenMode::kRead);
  if (family.empty()) {
    for (const std::string& id : data->task_ids(split)) std::printf("%s\n", id.c_str());
    return 0;
  }
  std::set<std::string> families;
  data->for_each_task([&](const proto::Task& task) {
    families.insert(task.family());
    if (task.family() == family && (split.empty() || task.split() == split)) std::printf("%s\n", task.id().c_str());
    return true;
  });
  if (!families.contains(family)) {
    throw Error("no task of the family \"" + family + "\" in the data set", "--family",
                suggestion(family, {families.begin(), families.end()}, "families", "the data set has no tasks"));
  }
  return 0;
}

std::string shape_text(const proto::TensorSpec& spec) {
  std::string text = proto::ascendc_type(spec.dtype()) + "[";
  for (int i = 0; i < spec.shape_size(); ++i) text += (i > 0 ? "," : "") + std::to_string(spec.shape(i));
  return text + "]";
}

std::string input_text(const proto::TensorSpec& spec) {
  if (spec.absent()) return ", absent";
  if (!spec.has_distribution()) return "";
  char text[128];
  std::snprintf(text, sizeof text, ", %s %g to %g", proto::Distribution::Kind_Name(spec.distribution().kind()).c_str(),
                spec.distribution().low(), spec.distribution().high());
  return text;
}

void print_case(const proto::TaskCase& task_case, int index) {
  std::printf("case %d, seed %llu\n", index, static_cast<unsigned long long>(task_case.seed()));
  for (const proto::TensorSpec& spec : task_case.inputs())
    std::printf("  input  %s: %s%s\n", spec.name().c_str(), shape_text(spec).c_str(), input_text(spec).c_str());
  for (const proto::TensorSpec& spec : task_case.outputs())
    std::printf("  output %s: %s%s\n", spec.name().c_str(), shape_text(spec).c_str(),
                spec.in_place_of().empty() ? "" : (" in place of " + spec.in_place_of()).c_str());
  for (const proto::Attribute& attribute : task_case.attributes())
    std::printf("  attr   %s\n", attribute.ShortDebugString().c_str());
  if (task_case.has_check())
    std::printf("  check  %s, absolute %g, relative %g\n", task_case.check().name().c_str(),
                task_case.check().absolute(), task_case.check().relative());
  for (const proto::CheckedTensor& one : task_case.checked())
    if (one.relative() > 0 || one.absolute() > 0)
      std::printf("  bounds %s: relative %.3g, absolute %.3g\n", task_case.outputs(one.outputs(0)).name().c_str(),
                  one.relative(), one.absolute());
  for (const std::string& note : task_case.notes()) std::printf("  note   %s\n", note.c_str());
}

std::string prompt_text(const proto::Task& task, const std::string& form) {
  if (form == "short") return task.prompt_short();
  if (form == "npukernelbench") return task.prompt_npukernelbench();
  return dataset::dsl_prompt(task, form == "dsl" ? "short" : form == "dsl-whole" ? "npukernelbench" : "explained");
}

int run_show(int argc, const char* const* argv) {
  std::string id, name = "ascend_cot.h5", prompt = "short";
  bool json = false;
  Options options("kgtrain tasks show",
                  "Prints a task: where it belongs, its cases, what counts as correct, its prompt.");
  options.positional("ID", id, "id of the task; kgtrain tasks list prints them")
      .add("data", name, "data set")
      .add("prompt", prompt,
           "prompt form to print; for an answer in the DSL: dsl, dsl-explained (with the language explained) or "
           "dsl-whole (with the benchmark's whole prompt)")
      .choices({"short", "npukernelbench", "dsl", "dsl-explained", "dsl-whole"})
      .add("json", json, "print the whole task as JSON, prompts included");
  if (!options.parse(argc, argv)) return 0;
  const auto data = Dataset::open(dataset::find_dataset(name), OpenMode::kRead);
  const auto task = data->task(id);
  if (!task) refuse_task(*data, id, name, "kgtrain tasks show");
  if (json) {
    std::string text;
    google::protobuf::util::JsonPrintOptions form;
    form.preserve_proto_field_names = true;
    if (!google::protobuf::util::MessageToJsonString(*task, &text, form).ok())
      throw Error("the task cannot be written as JSON", id, "look at it without --json");
    std::printf("%s\n", text.c_str());
    return 0;
  }
  std::printf(
      "task       %s\nsuite      %s\ncategory   %s\nfamily     %s\nstructure  %s\nsplit      %s\nlevel      %d\n",
      task->id().c_str(), task->suite().c_str(), task->category().c_str(), task->family().c_str(),
      task->structure().c_str(), task->split().c_str(), task->level());
  std::printf("kernel     %s on %u cores\n", task->entry_point().c_str(), task->block_dim());
  if (task->has_graph())
    std::printf("tolerance  relative 1e-3 or two units in the last place, or absolute %.3g\n", task->absolute_bound());
  for (int i = 0; i < task->cases_size(); ++i) print_case(task->cases(i), i);
  std::printf("\n%s\n", prompt_text(*task, prompt).c_str());
  return 0;
}

void print_summary(const dataset::benchmarks::ImportSummary& summary, const std::string& out) {
  std::printf(
      "%s: %zu of %zu tasks (%zu taken before), %zu of %zu cases; %zu with their tensors in the file (%.0f MB)\n",
      out.c_str(), summary.tasks + summary.tasks_there, summary.tasks_wanted, summary.tasks_there, summary.cases,
      summary.cases_wanted, summary.cases_kept, static_cast<double>(summary.bytes_kept) / 1e6);
  for (const auto& one : summary.left_out) std::printf("left out  %s: %s\n", one.what.c_str(), one.why.c_str());
}

int run_import(int argc, const char* const* argv) {
  std::string folder;
  dataset::benchmarks::ImportOptions import;
  std::string out, only;
  std::int64_t keep_kilobytes = 1024, largest_megabytes = -1, scale_megabytes = 0;
  Options options("kgtrain tasks import",
                  "Reads the tasks of a benchmark: prompts, cases, inputs, expected outputs. Runs the benchmark's own "
                  "Python and C++ "
                  "with your rights: name only checkouts that you trust. Continues where it stopped.");
  options.positional("SUITE", import.suite, "npukernelbench or multikernelbench")
      .positional("DIR", folder, "checkout of the benchmark")
      .add("out", out, "data set to write or to continue")
      .add("only", only, "only tasks whose id contains this, or one of several parts separated by commas")
      .add("keep", keep_kilobytes,
           "store a case's tensors if its inputs have at most this many kilobytes (multikernelbench: each expected "
           "output too); larger ones are made again when judged")
      .range(0, 1 << 20)
      .add("largest", largest_megabytes,
           "leave out cases with more than this many megabytes of inputs; 0 = leave out none; -1 = 1024, or for "
           "multikernelbench 2130, the most a sandbox accepts")
      .range(-1, 1 << 20)
      .add("scale", scale_megabytes,
           "multikernelbench: shrink tasks whose tensors exceed this many megabytes, but keep large enough what "
           "overflows UB; 0 = leave them as they are")
      .range(0, 1 << 20)
      .add("seconds", import.most_seconds,
           "multikernelbench: if the reference is estimated to take longer than this, make expected outputs only when "
           "they are needed")
      .range(0, 1e6)
      .add("python", import.worker.python,
           "Python with the packages of requirements.txt; if not given, one is made in $KGTRAIN_HOME");
  if (!options.parse(argc, argv)) return 0;
  const dataset::benchmarks::Suite& suite = dataset::benchmarks::suite_named(import.suite);
  if (out.empty())
    throw Error("--out is needed", "kgtrain tasks import", "kgtrain tasks import " + import.suite + " DIR --out FILE");
  if (!fs::is_directory(folder)) throw Error("there is no such folder", folder, "name the folder of a checkout");
  import.worker.checkout = folder;
  import.out = out;
  import.keep_bytes = static_cast<std::uint64_t>(keep_kilobytes) * 1024;
  import.most_bytes =
      largest_megabytes < 0 ? suite.most_bytes : static_cast<std::uint64_t>(largest_megabytes) * 1000000;
  import.scale_bytes = static_cast<std::uint64_t>(scale_megabytes) * 1000000;
  import.ub_bytes = npu::chip::kUbBytes;
  import.only = dataset::IdFilter(only);
  const auto summary = dataset::benchmarks::import_checkout(import);
  print_summary(summary, out);
  return 0;
}

const std::vector<Command> kTaskCommands = {
    {"list", "print the ids of the tasks of a data set", &run_list},
    {"show", "print one task", &run_show},
    {"add", "make a task of an operator of your own", &run_tasks_add},
    {"import", "read the tasks of a benchmark", &run_import},
};

}  // namespace

int run_tasks(int argc, const char* const* argv) { return run_one_of(kTaskCommands, "kgtrain tasks", argc, argv); }

}  // namespace kg::cli
