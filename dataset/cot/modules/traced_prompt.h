#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dataset/cot/modules/traced_line.h"

namespace kg::dataset::cot::modules {

using Shape = std::vector<std::int64_t>;

struct TracedTensor {
  std::string name, type;
  Shape shape;
};

// A prompt that has a module's operators one by one.
struct TracedPrompt {
  std::vector<TracedTensor> inputs, outputs;
  std::vector<TracedLine> lines;
  std::vector<std::string> texts;       // of the lines
  std::map<std::string, Shape> shapes;  // of all values
  Shape whole;                          // the largest input's
};

// nullopt: it has none, or says them in another way.
std::optional<TracedPrompt> traced_prompt_of(const std::string& prompt);

std::int64_t count_of(const Shape& shape);
// The shape with which an input meets the others: that of its last view.
Shape aligned_shape(const TracedPrompt& prompt, const TracedTensor& input);
// The axes that a line reduces or goes along, from the front; empty: all of them. nullopt: it does neither.
std::optional<std::vector<std::int64_t>> reduced_axes(const TracedLine& line);

}  // namespace kg::dataset::cot::modules
