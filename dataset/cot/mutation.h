#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kg::dataset::cot {

// A correct kernel with one mistake added.
struct Mutant {
  std::string kind;      // "lost_barrier"
  std::string source;    // whole
  int line = 0;          // line of the mistake, counted from 1
  std::string was, now;  // the line before and after; empty: absent
  std::string cause;     // why that is wrong, in a reviewer's words
};

// Mistakes of the kinds made by kernel writers (and models): signature and overload, type, scope, memory and queues,
// order of pipes, bounds, alignment, arithmetic. All that apply to the source, in a fixed order.
std::vector<Mutant> ascendc_mutants(const std::string& source);
std::vector<Mutant> dsl_mutants(const std::string& program);

}  // namespace kg::dataset::cot
