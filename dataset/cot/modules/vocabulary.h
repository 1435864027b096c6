#pragma once

#include <span>
#include <string>
#include <vector>

namespace kg::dataset::cot::modules {

enum Trait : unsigned {
  kWantsPositive = 1,  // of its first operand
  kGivesPositive = 2,  // strictly
  kGivesBounded = 4,   // within a few units
  kGrows = 8,          // exp and its like: only of bounded operands
  kJumps = 16,         // only of operands that are exact
  kExact = 32,         // rounds nothing
  kCommon = 64,        // drawn more often: what modules are full of
  kGradient = 128,     // of two operands: the gradient that comes in, and the input
  kWantsUnit = 256,    // of its first operand: in (0, 1)
};

// An operator of elements: the DSL's expression, and the ways in which people write it in PyTorch (graph.h, Node).
struct Word {
  const char* name;
  int arity;
  const char* constants;  // a letter each: see `draw_constant`
  unsigned traits;
  const char* dsl;
  const char* words;    // of the reading line
  const char* formula;  // x, y, w; a, b
  const char* torch;    // separated by " ~ "
};

std::span<const Word> activation_words();
std::span<const Word> math_words();
std::span<const Word> joining_words();                // of two and three operands
std::span<const Word> gradient_words();               // of (grad, x)
std::vector<std::string> ways_of(const char* torch);  // of such a list
inline std::vector<std::string> spellings(const Word& word) { return ways_of(word.torch); }

}  // namespace kg::dataset::cot::modules
