#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataset/cot/modules/graph.h"
#include "dataset/cot/modules/scalar_input.h"

namespace kg::dataset::cot::modules {

// A graph as the description of an operator states it in essence: tensors with the names of an interface, attributes, a
// title, formulas or steps in words (dataset/benchmarks/short_prompt.py, of_description).
struct Essence {
  Graph graph;                       // with the names of its outputs
  std::vector<std::string> names;    // of its inputs
  std::vector<ScalarInput> scalars;  // none, one or two
  std::string prompt, program, answer;
};

// nullopt: this graph cannot be described so, or not this time.
std::optional<Essence> essence_form(const Graph& graph, Philox& random);

// What a description calls a parameter in its formulas: x1, x_1, \gamma, ...
std::string symbol_of(const std::string& name, Draw& draw);
// "x = [x_0, x_1, ..., x_{n-1}]", a line for each symbol, and " (i = 0, 1, ..., n - 1)" behind formulas of elements.
std::string elements_text(const std::vector<std::string>& symbols, Draw& draw);
std::string all_elements(Draw& draw);
// "ForeachMulAdd", "FusedOp": the graph's operators, or a name that says nothing; `front`: what it begins with.
std::string title_of(const Graph& graph, const std::string& front, Draw& draw);

}  // namespace kg::dataset::cot::modules
