#pragma once

#include <utility>
#include <vector>

#include "proto/sandbox.pb.h"
#include "proto/task.pb.h"

namespace kg::reward {

// A task's case as the sandbox runs it.
inline proto::RunCase run_case_of(const proto::TaskCase& task_case, std::vector<proto::Tensor> inputs) {
  proto::RunCase run_case;
  for (proto::Tensor& tensor : inputs) *run_case.add_inputs() = std::move(tensor);
  *run_case.mutable_outputs() = task_case.outputs();
  *run_case.mutable_attributes() = task_case.attributes();
  run_case.set_block_dim(task_case.block_dim());
  run_case.set_call(task_case.call());
  return run_case;
}

}  // namespace kg::reward
