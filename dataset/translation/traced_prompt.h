#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dataset/translation/traced_line.h"

namespace kg::dataset::translation {

using Shape = std::vector<std::int64_t>;

struct TracedTensor {
  std::string name, type;
  Shape shape;
};

// A prompt that lists a module's operators one by one.
struct TracedPrompt {
  std::vector<TracedTensor> inputs, outputs;
  std::vector<TracedLine> lines;
  std::vector<std::string> texts;       // texts of the lines
  std::map<std::string, Shape> shapes;  // shapes of all values
  Shape whole;                          // shape of the largest input
};

// nullopt: it has none, or writes them differently.
std::optional<TracedPrompt> traced_prompt_of(const std::string& prompt);

std::int64_t count_of(const Shape& shape);
// The shape in which an input meets the others: that of its last view.
Shape aligned_shape(const TracedPrompt& prompt, const TracedTensor& input);
// The axes that a line reduces or runs along, from the front; empty: all of them. nullopt: neither.
std::optional<std::vector<std::int64_t>> reduced_axes(const TracedLine& line);

}  // namespace kg::dataset::translation
