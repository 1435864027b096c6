#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataset/cot/modules/graph.h"

namespace kg::dataset::cot::modules {

// The lines of a program below its head that says a surface's operators (dataset/benchmarks/traced.py) one a statement,
// each by its name there; an input is `name_` once it is loaded. Placeholders are graph.h's, but for those names.
// The loop, loads and stores are the graph's. nullopt: its loop is more than one pass over rows or tiles, or an
// operator is not of operator_forms.h. Whether it is right is for the judge to say: which axes a reduction takes is not
// looked at.
std::optional<std::vector<std::string>> line_program(const Graph& graph, const std::vector<std::string>& names,
                                                     const std::vector<std::string>& steps);

}  // namespace kg::dataset::cot::modules
