#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dataset/cot/modules/graph.h"
#include "dataset/translation/traced_prompt.h"

namespace kg::dataset::cot::modules {

// A program of one loop over all elements, or over rows of the last axes; inputs may be loaded in parts.
struct RowProgram {
  Graph graph;  // on the real inputs
  std::vector<std::string> names, lines;
  std::size_t lead = 0;  // number of axes before the rows
};

std::optional<RowProgram> row_program(const translation::TracedPrompt& prompt);

}  // namespace kg::dataset::cot::modules
