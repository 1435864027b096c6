#pragma once

#include "tests/integration/dsl_fixture.h"

namespace kg::dsl::testing {

struct RandomProgram {
  std::string source;
  std::vector<In> inputs;
  std::vector<Out> outputs;
  int cores = 8;
  bool exact_half = false;  // computes in half, where every operation loses three digits
};

// A program made of the language's statements and functions, with shapes, types and inputs. Most are right; some are
// left to be refused (tiles too large, types that do not fit). Comparisons look at loaded values only, since a tie
// decides between far results.
RandomProgram random_program(std::uint64_t seed);

}  // namespace kg::dsl::testing
