#pragma once

#include <string>
#include <vector>

#include "dsl/bind.h"

namespace kg::dsl {

// A parameter of the task: a tensor, or all tensors of a list.
struct TaskParameter {
  int first = 0, count = 1;  // range of the task's tensors
  const TensorShape* head = nullptr;
};
std::vector<TaskParameter> task_parameters(const std::vector<TensorShape>& tensors);

// For each parameter its tensor of the task, by index, for a list its first. Inputs, and outputs, are matched by name
// if the task has all of their names; else in order, without absent tensors. Throws Refusal.
std::vector<int> match_tensors(const Program& program, const std::vector<TensorShape>& tensors);

}  // namespace kg::dsl
