#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataset/cot/modules/graph.h"

namespace kg::dataset::cot::modules {

// What a description calls the graph's inputs, constants and outputs. A constant is its number, or a name if the task
// gives the number elsewhere.
struct Symbols {
  std::vector<std::string> inputs, constants, outputs;
};

Symbols symbols_of(const Graph& graph, const std::vector<std::string>& inputs);

// Whether formulas could say all of the graph: elements, and rows of the last axis.
bool formulas_say_all(const Graph& graph);
// What the graph computes, as a description of an operator says it: mostly formulas of one or several steps each, in
// one author's style; else, and where formulas would not say all, step by step in words. nullopt: words are wanted, and
// the graph has several outputs.
std::optional<std::string> described(const Graph& graph, const Symbols& symbols, Draw& draw);

}  // namespace kg::dataset::cot::modules
