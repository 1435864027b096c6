#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kg::dataset::cot {

// A right kernel made wrong in one place.
struct Mutant {
  std::string kind;      // "lost_barrier"
  std::string source;    // whole
  int line = 0;          // from 1, where the mistake is
  std::string was, now;  // the line before and after; empty: it is not there
  std::string cause;     // why that is wrong, as a reviewer would say it
};

// Mistakes of the kinds that kernel writers (and models) make: signature and overload, type, scope, memory and queues,
// order of pipes, bounds, alignment, arithmetic. All that fit the source, in a fixed order.
std::vector<Mutant> ascendc_mutants(const std::string& source);
std::vector<Mutant> dsl_mutants(const std::string& program);

}  // namespace kg::dataset::cot
