#pragma once

#include <set>
#include <string>
#include <vector>

#include "dataset/cot/modules/graph.h"

namespace kg::dataset::cot::modules {

// Names that a program uses: parameters, and its own, which inputs and named outputs do not have.
struct ProgramNames {
  ProgramNames(const Graph& graph, const std::vector<std::string>& inputs);

  // A line of Graph::program with them.
  std::string in(const std::string& line) const;
  // One of the program's own that it does not use.
  std::string free(const std::set<std::string>& used) const;

  const Graph& graph;
  const std::vector<std::string>& inputs;
  std::set<std::string> taken;
  std::vector<std::string> locals;
};

// Names of all values: inputs by their own, others as the program calls them. Values that it stores at once are called
// as the output; those that have no name there get one.
std::vector<std::string> value_names(const Graph& graph, const std::vector<std::string>& names);

}  // namespace kg::dataset::cot::modules
