#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kg::dataset::cot {

// The parts of a text that are compared with other texts.
struct TextShape {
  std::vector<std::uint64_t> grams;  // hashes of runs of 13 words, sorted, distinct; numbers count as words
  std::vector<std::uint64_t>
      statements;  // for code: statements without the names and numbers chosen by its author, sorted
};

// Code may be Ascend C, C++ or the DSL. Comments and literals are dropped. Names of the language and of its calls stay,
// all other names are treated as equal; so are all numbers. The order of statements does not matter.
TextShape code_shape(std::string_view code);
// For prose: only runs of words.
TextShape prose_shape(std::string_view text);

// A text's code blocks, and its prose without them.
struct Blocks {
  std::vector<std::string> code;
  std::string prose;
};
Blocks blocks_of(std::string_view text);

}  // namespace kg::dataset::cot
