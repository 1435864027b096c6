#pragma once

#include <string>
#include <vector>

#include "proto/task.pb.h"

namespace kg::reward {

// One row of the operator table: what an operator of a task's graph means, without any kernel.
// All arithmetic is fp64; the inputs are the values that the task's types can hold exactly.
struct OperatorInfo {
  std::string name;          // "add", "relu", "reduce_sum", ...
  std::string category;      // "elementwise", "activation", "comparison", "reduction", "normalisation", ...
  int arity;                 // number of tensor inputs
  int attribute_count;       // number of scalar constants
  std::string formula;       // "max(x, 0)", for prompts and documentation; x, y, z inputs, a, b attributes
  double vector_work;        // vector-unit element operations for each input element, for the baseline (design page)
};

const std::vector<OperatorInfo>& operator_table();
// Throws Error with the nearest known name.
const OperatorInfo& operator_info(const std::string& name);

}  // namespace kg::reward
