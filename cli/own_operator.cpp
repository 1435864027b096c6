#include "cli/own_operator.h"

#include <cstdio>
#include <sstream>
#include <string>

#include "base/error.h"
#include "dataset/store/dataset.h"
#include "npu/chip.h"

namespace kg::cli {
namespace {

using dataset::Dataset;
using dataset::OpenMode;
using dataset::benchmarks::OwnOperator;

// Appends the task with its tensors; the task comes last, so that it exists only if they do.
void store(Dataset& data, const OwnOperator& made, const std::string& name) {
  if (const auto there = data.task(made.task.id())) {
    if (there->SerializeAsString() == made.task.SerializeAsString()) {
      std::printf("%s is there already\n", made.task.id().c_str());
      return;
    }
    throw Error("the data set holds another operator " + made.task.id(), name, "give this one another --name");
  }
  std::vector<proto::JournalRecord> records;
  for (const proto::CaseTensor& tensor : made.tensors) *records.emplace_back().mutable_tensor() = tensor;
  *records.emplace_back().mutable_task() = made.task;
  data.append(records);
}

}  // namespace

void declare_own_operator(Options& options, OwnOperatorOptions& values) {
  dataset::benchmarks::OwnOptions& own = values.own;
  options
      .add("shape", own.shapes,
           "sizes other than the file's, such as batch=8,dim=77 (names that the file sets) or x=8x77 (an input); may "
           "be repeated: one group of cases for each")
      .add("dtype", own.dtype, "floating type of inputs and parameters; empty: the file's")
      .choices({"", "float", "half", "bfloat16"})
      .add("operator", own.operator_name, "class or function in the file; empty: Model, or the only one")
      .add("eval", own.evaluation, "call Module.eval() first: no dropout, batch norm by its running statistics")
      .add("largest", values.largest_megabytes,
           "scale down the extents of a case whose tensors exceed this many megabytes")
      .range(1, 1024)
      .add("seed", own.seed, "seed of inputs and parameters")
      .range(0, 1e9);
}

void require_own_operator(const OwnOperatorOptions& values) {
  const std::string& file = values.own.file;
  if (!fs::is_regular_file(file))
    throw Error(fs::is_directory(file) ? "expected a Python file, found a folder" : "there is no such file", file,
                "name a Python file with a PyTorch module (docs/guide/own-operators.md)");
  const std::string text = read_file(file);
  std::istringstream lines(text);
  bool defines = false;
  for (std::string line; std::getline(lines, line) && !defines;)
    defines = line.starts_with("class ") || line.starts_with("def ");
  if (!defines)
    throw Error("it defines neither a class nor a function", file,
                "write class Model(torch.nn.Module), or one function (docs/guide/own-operators.md)");
  for (const std::string& shape : values.own.shapes)
    if (shape.find('=') == std::string::npos || shape.starts_with("="))
      throw Error("--shape got \"" + shape + "\", wanted NAME=SIZE", "--shape", "for example --shape batch=8,dim=77");
}

OwnOperator read_own_operator(const OwnOperatorOptions& values, const dataset::benchmarks::WorkerOptions& worker) {
  require_own_operator(values);
  dataset::benchmarks::OwnOptions own = values.own;
  own.worker = worker;
  own.most_bytes = static_cast<std::uint64_t>(values.largest_megabytes) * 1000000;
  own.ub_bytes = npu::chip::kUbBytes;
  OwnOperator made = dataset::benchmarks::read_own_operator(own);
  for (const proto::TaskCase& one : made.task.cases())
    for (const std::string& note : one.notes())
      std::fprintf(stderr, "note: %s: %s\n", one.label().c_str(), note.c_str());
  return made;
}

int run_tasks_add(int argc, const char* const* argv) {
  OwnOperatorOptions values;
  dataset::benchmarks::WorkerOptions worker;
  std::string data_name = "own.h5", split = "heldout";
  Options options(
      "kgtrain tasks add",
      "Makes a task from a file with a PyTorch module or function (docs/guide/own-operators.md). Runs the file's "
      "Python with your rights.");
  options.positional("FILE", values.own.file, "Python file with Model, get_inputs and get_init_inputs, or one function")
      .add("data", data_name, "data set to write or to continue")
      .add("name", values.own.name, "name of the task, own/NAME; empty: the file's")
      .add("split", split, "split of the task: RL draws from train, eval from heldout")
      .choices({"train", "heldout"});
  declare_own_operator(options, values);
  options.add("python", worker.python, "Python with PyTorch; if not given, one is made in $KGTRAIN_HOME");
  if (!options.parse(argc, argv)) return 0;
  require_own_operator(values);
  if (fs::exists(data_name)) Dataset::open(dataset::find_dataset(data_name), OpenMode::kRead);  // before Python starts
  OwnOperator made = read_own_operator(values, worker);
  made.task.set_split(split);
  const auto data = Dataset::open(dataset::find_dataset(data_name), OpenMode::kAppendOrCreate);
  store(*data, made, values.own.file);
  std::printf("%s: %d cases in %s\n", made.task.id().c_str(), made.task.cases_size(), data_name.c_str());
  return 0;
}

}  // namespace kg::cli
