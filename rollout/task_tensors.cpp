#include "rollout/task_tensors.h"

#include <set>
#include <string>

#include "reward/benchmark_case.h"
#include "sandbox/programs/dsl_module.h"

namespace kg::rollout {
namespace {

constexpr int kMostCases = 8;  // different ones

void add(const proto::TensorSpec& spec, google::protobuf::RepeatedPtrField<proto::TensorSpec>& to) {
  proto::TensorSpec& added = *to.Add() = spec;
  added.clear_distribution();
  if (added.kind() == proto::OPTIONAL) added.set_kind(proto::REQUIRED);  // the judge's kernel has it
}

proto::TaskTensors tensors_of(const proto::Task& task, const proto::TaskCase& task_case) {
  proto::TaskTensors made;
  for (const proto::TensorSpec& spec : task_case.inputs()) add(spec, *made.mutable_inputs());
  if (reward::is_module(task))
    for (const dsl::TensorShape& held : sandbox::module_state(task_case.call())) {
      proto::TensorSpec& added = *made.add_inputs();
      added.set_name(held.name);
      added.set_dtype(held.dtype);
      added.mutable_shape()->Add(held.shape.begin(), held.shape.end());
      added.set_kind(proto::OPTIONAL);
    }
  for (const proto::TensorSpec& spec : task_case.outputs()) add(spec, *made.mutable_outputs());
  return made;
}

}  // namespace

void add_task_tensors(const proto::Task& task, proto::GenerateRequest& request) {
  if (request.sampling().grammar() != "task") return;
  std::set<std::string> seen;
  for (const proto::TaskCase& task_case : task.cases()) {
    if (task_case.outputs().empty()) continue;  // left out by the import
    proto::TaskTensors made = tensors_of(task, task_case);
    if (seen.insert(made.SerializeAsString()).second) *request.add_cases() = std::move(made);
    if (request.cases_size() == kMostCases) break;
  }
}

}  // namespace kg::rollout
