#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kg::dataset::cot {

// How an operator of operators/operators.cpp is said in the DSL, and what compositions have to know of it.
struct Word {
  enum Flag : unsigned {
    kExact = 1,        // adds no rounding error
    kStep = 2,         // jumps: may only see exact values, because a tie decides between far results
    kWhole = 4,        // also for tiles of whole numbers
    kPositive = 8,     // inputs are drawn positive
    kCast = 16,        // decides the type of the output, so it comes last
    kMean = 32,        // divides by the number of what it adds up
    kAccumulates = 64  // adds up along an axis
  };
  std::string_view op;
  // Expression of $x $y $w (tensors), $a $b (constants); statements "$1 = ..." before it, each ended by ';'. Losses
  // over all: what is summed. Empty: dsl_writer.cpp writes it.
  std::string_view text;
  unsigned flags = 0;
  std::vector<std::vector<double>> attributes = {};  // choices, exact in half
  std::string_view whole = {};                       // for tiles of whole numbers, where it differs
};

const std::vector<Word>& vocabulary();
const Word& word(std::string_view op);

}  // namespace kg::dataset::cot
