#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataset/cot/modules/scalar_input.h"
#include "proto/task.pb.h"

namespace kg::dataset::cot::modules {

// The same graph on each tensor of lists, described like an interface; one of its numbers may become a parameter, one
// for all tensors or one for each.
struct ListForm {
  Graph graph;                       // with the name of its output
  std::vector<std::string> names;    // names of the lists, in the order of the graph's inputs
  std::vector<ScalarInput> scalars;  // none or one
  std::string prompt, program, answer;
};

// Nothing if the graph's loop is not a single one over all elements of its inputs.
std::optional<ListForm> list_form(const Graph& graph, Philox& random);

// Makes lists of one tensor of a task's inputs, but not of a scalar behind them, and of its outputs.
void make_lists(const ListForm& form, proto::Task& task, Ran& ran);

}  // namespace kg::dataset::cot::modules
