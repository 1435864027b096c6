#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dataset/cot/modules/graph.h"
#include "dataset/cot/modules/runner.h"
#include "proto/task.pb.h"

namespace kg::dataset::cot::modules {

// A constant of the graph that a task gives as a tensor of one number, or of one for each tensor of a list.
struct ScalarInput {
  std::string name;
  std::size_t constant = 0;  // index in the graph
  std::string number;        // as the program spells it
  std::string type;          // "half"
  bool each = false;
};

// nullopt: the graph has no constant, or its number stands for something else in the program too.
std::optional<ScalarInput> draw_scalar_input(const Graph& graph, const std::vector<std::string>& names,
                                             bool may_be_each, Draw& draw);
// The program, in which the scalar is one more parameter, loaded by the line `load` after the first `lines`, and its
// number is the name of what was loaded. Empty: the program does not have the number.
std::string with_scalar_input(const std::string& program, const ScalarInput& scalar, int lines);
// The same for a task and its tensors.
void add_scalar_input(const Graph& graph, const ScalarInput& scalar, proto::Task& task, Ran& ran);

}  // namespace kg::dataset::cot::modules
