#pragma once

#include <string>
#include <vector>

#include "dsl/bind.h"

namespace kg::dsl {

// A parameter of the task: a tensor, or all tensors of a list.
struct TaskParameter {
  int first = 0, count = 1;  // of the task's tensors
  const TensorShape* head = nullptr;
};
std::vector<TaskParameter> task_parameters(const std::vector<TensorShape>& tensors);

// The task's tensor of each parameter, by index, of a list its first. Inputs, and outputs, are matched by their names
// if all of them are names of the task's; else in order, absent tensors left out. Throws Refusal.
std::vector<int> match_tensors(const Program& program, const std::vector<TensorShape>& tensors);

}  // namespace kg::dsl
