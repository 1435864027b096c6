#include <cstdio>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "cli/command.h"
#include "cli/read_input.h"
#include "cli/task_binding.h"
#include "cli/unknown_task.h"
#include "dataset/store/dataset.h"
#include "dsl/lower.h"
#include "npu/chip.h"

namespace kg::cli {
namespace {

// "R=8" as a name and a number.
void bind(const std::string& text, dsl::Bindings& bindings) {
  const std::size_t equals = text.find('=');
  const std::string digits = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (equals == 0 || digits.empty() || digits.size() > 15 ||
      digits.find_first_not_of("0123456789") != std::string::npos)
    throw Error("not NAME=NUMBER: \"" + text + "\"", "--bind", "as in --bind R=8 --bind C=256");
  bindings.names[text.substr(0, equals)] = std::stoll(digits);
}

void bind_task(const std::string& data_name, const std::string& id, int number, dsl::LowerOptions& options) {
  const auto data = dataset::Dataset::open(dataset::find_dataset(data_name), dataset::OpenMode::kRead);
  const std::optional<proto::Task> task = data->task(id);
  if (!task || task->cases().empty()) refuse_task(*data, id, data_name, "--task");
  if (number >= task->cases_size())
    throw Error(id + " has " + std::to_string(task->cases_size()) + " cases", "--case " + std::to_string(number),
                "cases are counted from 0");
  options.bindings = bindings_of(*task, task->cases(number));
  options.entry_point = task->entry_point();
}

int lower_file(int argc, const char* const* argv) {
  std::string file, pass, project, data_name = "ascend_cot.h5", task;
  int number = 0;
  std::vector<std::string> names;
  dsl::LowerOptions lowering;
  Options options("kgtrain dsl lower",
                  "Lowers a program in the DSL (docs/reference/dsl.md) to Ascend C and prints it.");
  options.positional("file", file, "file with the program; - reads standard input")
      .add("bind", names, "value of an extent, NAME=NUMBER")
      .add("task", task, "take types, shapes, cores and the kernel's name from this task")
      .add("case", number, "case of --task to take them from, counted from 0")
      .range(0, 1 << 20)
      .add("data", data_name, "data set that holds the task")
      .add("cores", lowering.bindings.cores, "number of cores to launch the kernel on")
      .range(1, npu::chip::kVectorCores)
      .add("entry", lowering.entry_point, "name of the Ascend C kernel; empty: the program's name")
      .add("compact", lowering.compact, "one short function with barriers instead of a class with queues")
      .add("project", project, "write an operator project (op_host, op_kernel) into this folder instead of printing")
      .add("emit-pass", pass, "print the program after this pass instead")
      .choices({"tiling", "initialisation", "processing", "unaligned"});
  if (!options.parse(argc, argv)) return 0;
  for (const std::string& text : names) bind(text, lowering.bindings);
  if (!task.empty()) bind_task(data_name, task, number, lowering);
  lowering.want_forms = !pass.empty();
  lowering.want_project = !project.empty();
  const std::string source = read_input(file);
  if (source.find_first_not_of(" \t\r\n") == std::string::npos)
    throw Error("expected a program in the DSL, found an empty file", input_name(file),
                "docs/reference/dsl.md has examples");
  const dsl::Lowered lowered = dsl::lower(source, lowering);
  if (!lowered.ok) {
    throw Error(lowered.refusal, input_name(file), "docs/reference/dsl.md has the language", Error::Kind::kFailed);
  }
  for (const dsl::ProjectPart& part : lowered.project) {
    const fs::path path = fs::path(project) / part.path;
    fs::create_directories(path.parent_path());
    write_file_atomically(path, part.text);
    std::printf("%s\n", path.string().c_str());
  }
  if (!project.empty()) return 0;
  const std::string& text = pass == "tiling"           ? lowered.tiling
                            : pass == "initialisation" ? lowered.initialisation
                            : pass == "processing"     ? lowered.processing
                            : pass == "unaligned"      ? lowered.unaligned
                                                       : lowered.source;
  std::fputs(text.c_str(), stdout);
  return 0;
}

const std::vector<Command> kDslCommands = {{"lower", "lower a program in the DSL to Ascend C", &lower_file}};

}  // namespace

int run_dsl(int argc, const char* const* argv) { return run_one_of(kDslCommands, "kgtrain dsl", argc, argv); }

}  // namespace kg::cli
