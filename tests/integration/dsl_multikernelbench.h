#pragma once

#include "tests/integration/dsl_fixture.h"

namespace kg::dsl::testing {

// One operator of the reference for the baseline: bytes from and to global memory, and vector instructions for each of
// `work` elements, simple ones and slow ones (exp, ln, sqrt, div).
struct Operator {
  double bytes = 0, work = 0, simple = 1, slow = 0;
};

struct BenchmarkTask {
  std::vector<In> inputs;
  Out output;
  std::function<Values(const std::vector<Values>&)> reference;
  std::vector<Operator> operators;
};

std::vector<std::string> benchmark_names();  // "activation/elu", ...
BenchmarkTask benchmark_task(const std::string& name);

}  // namespace kg::dsl::testing
