#include "dataset/benchmarks/own_operator.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "dataset/benchmarks/case_form.h"
#include "dataset/benchmarks/stored_cases.h"
#include "dataset/benchmarks/suite.h"

namespace kg::dataset::benchmarks {
namespace {

std::string place_of(const std::string& file, int line) { return line > 0 ? file + ":" + std::to_string(line) : file; }

nlohmann::json request_of(const OwnOptions& options) {
  return {{"do", "operator"},
          {"shapes", options.shapes},
          {"dtype", options.dtype},
          {"operator", options.operator_name},
          {"evaluation", options.evaluation},
          {"most_bytes", options.most_bytes},
          {"ub_bytes", options.ub_bytes},
          {"seed", options.seed},
          {"seconds", options.seconds}};
}

proto::Task task_of(const OwnOptions& options, const nlohmann::json& answer) {
  proto::Task task;
  const std::string name = options.name.empty() ? answer.at("name").get<std::string>() : options.name;
  task.set_id("own/" + name);
  task.set_suite(own_operators().name);
  task.set_category("own");
  task.set_family("own");
  task.set_op_name(name);
  task.set_structure(task.id());
  task.set_split("heldout");
  task.set_entry_point(answer.at("entry_point"));
  task.set_block_dim(answer.at("block_dim"));
  task.set_workspace_bytes(32 << 20);
  task.set_prompt_short(answer.at("prompt_short"));
  for (const nlohmann::json& one : answer.at("cases")) *task.add_cases() = case_of(one);
  return task;
}

}  // namespace

reward::BenchmarkCase OwnOperator::get(int case_index) const {
  std::vector<proto::CaseTensor> of_case;
  std::copy_if(tensors.begin(), tensors.end(), std::back_inserter(of_case), [&](const proto::CaseTensor& tensor) {
    return tensor.case_index() == static_cast<std::uint32_t>(case_index);
  });
  return benchmark_case_of(task.cases(case_index), std::move(of_case));
}

OwnOperator read_own_operator(const OwnOptions& options) {
  if (!fs::is_regular_file(options.file))
    throw Error("there is no such file", options.file,
                "name a Python file with a PyTorch module (docs/guide/own-operators.md)");
  WorkerOptions worker_options = options.worker;
  worker_options.checkout = options.file;
  WorkerProcess worker(own_operators(), std::move(worker_options));
  OwnOperator made;
  const auto answer = worker.ask(request_of(options), [&](const nlohmann::json& header, std::string&& bytes) {
    proto::CaseTensor& tensor = made.tensors.emplace_back(tensor_of("", header.at("case"), header, bytes));
    tensor.set_data(std::move(bytes));
  });
  if (!answer.error.empty())
    throw Error(answer.error, options.file, "look at its messages above; smaller sizes: --shape", Error::Kind::kFailed);
  if (answer.object.contains("refused"))
    throw Error(answer.object["refused"], place_of(options.file, answer.object.at("line")), answer.object.at("hint"));
  made.task = task_of(options, answer.object);
  for (proto::CaseTensor& tensor : made.tensors) tensor.set_task(made.task.id());
  return made;
}

}  // namespace kg::dataset::benchmarks
