#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataset/cot/modules/graph.h"

namespace kg::dataset::cot::modules {

// The lines of a program after its head that express a surface's operators (dataset/benchmarks/traced.py), one per
// statement, each named as there; an input is `name_` once it is loaded. Other placeholders are those of graph.h.
// The loop, loads and stores come from the graph. nullopt: its loop is more than one pass over rows or tiles, or an
// operator is missing from operator_forms.h. The judge decides whether it is right: the axes of reductions are not
// checked.
std::optional<std::vector<std::string>> line_program(const Graph& graph, const std::vector<std::string>& names,
                                                     const std::vector<std::string>& steps);

}  // namespace kg::dataset::cot::modules
