#pragma once

#include <span>
#include <string>
#include <vector>

namespace kg::dataset::cot::modules {

enum Trait : unsigned {
  kWantsPositive = 1,  // for its first operand
  kGivesPositive = 2,  // strictly
  kGivesBounded = 4,   // within a few units
  kGrows = 8,          // exp and similar: only on bounded operands
  kJumps = 16,         // discontinuous: only on exact operands
  kExact = 32,         // adds no rounding error
  kCommon = 64,        // drawn more often: common in modules
  kGradient = 128,     // two operands: the incoming gradient, and the input
  kWantsUnit = 256,    // for its first operand: in (0, 1)
};

// An elementwise operator: its expression in the DSL, and the ways in which people write it in PyTorch (graph.h, Node).
struct Word {
  const char* name;
  int arity;
  const char* constants;  // one letter each: see `draw_constant`
  unsigned traits;
  const char* dsl;
  const char* words;    // for the reading line
  const char* formula;  // ways to write it in formulas, as graph.h says of nodes
  const char* torch;    // separated by " ~ "
};

std::span<const Word> activation_words();
std::span<const Word> math_words();
std::span<const Word> joining_words();                // with two and three operands
std::span<const Word> gradient_words();               // on (grad, x)
std::vector<std::string> ways_of(const char* torch);  // splits such a list
inline std::vector<std::string> spellings(const Word& word) { return ways_of(word.torch); }

}  // namespace kg::dataset::cot::modules
