#pragma once

#include <string>
#include <vector>

#include "dataset/synthesis/operator_forms.h"
#include "proto/task.pb.h"

namespace kg::dataset {

// One step of a structure: destination = op(sources). Tensors are named by letters: inputs x, y, w, result z. A step
// overwrites its first source unless it is the last, so that a kernel needs no further tensors.
struct Step {
  std::string op;
  Attributes attributes;
  std::vector<char> sources;
  char destination = 'z';
};

// A composition of operators without shape and type. Train and held-out tasks differ in it.
struct Structure {
  std::string name;      // "add-relu": its operators in order; each binary operator takes the next input
  std::string family;    // "binary_activation"
  std::string category;  // "activation"
  std::string split;     // "train" or "heldout"
  std::vector<Step> steps;
  std::vector<Range> inputs;  // where the elements of x, y, w are drawn from
  bool rowwise = false;       // an operator works along rows
  bool reduces = false;       // the result has one value a row
  double rounding_steps = 0;  // vector instructions between input and result
};

// All built-in structures, always the same, in the order of the table of families.
const std::vector<Structure>& builtin_structures();

proto::OperatorGraph operator_graph(const Structure& structure);

// "x = x + y", one a step.
std::vector<std::string> step_texts(const Structure& structure);

// The steps in Ascend C, `t` being the scratch tensor; `count` and `slot` as $n and $s of operator_forms.h.
std::vector<std::string> compute_statements(const Structure& structure, const std::string& count,
                                            const std::string& slot);

}  // namespace kg::dataset
