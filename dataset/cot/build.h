#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "sandbox/sandbox.h"

namespace kg::dataset::cot {

// Implements `kgtrain data build`: tasks from composed operators and samples of all kinds.
struct BuildOptions {
  fs::path out;
  std::uint64_t samples = 2000;
  std::uint64_t seed = 1;
  int jobs = 0;  // number of sandboxes; 0: one for each core
  int ways = 3;  // styles judged for each task
  bool quiet = false;
  std::string part;   // "I/N": only every N-th unit, stored in `units` (unit_parts.h) and not in `out`; empty: all
  std::string units;  // folder of the parts; without `part` their units are used instead of being made again
  sandbox::SandboxOptions sandbox;
};

struct BuildReport {
  std::uint64_t tasks = 0, samples = 0;  // now in the data set
  std::uint64_t units = 0, judged = 0;   // made and judged by this call
  std::uint64_t duplicates = 0;          // left out by this call
  std::vector<std::string> failures;     // our own kernels that were not correct
};

// With `part` only that part is made. Continues an earlier call with the same options; throws Error if the
// data set was built with others.
BuildReport run_build(const BuildOptions& options);

}  // namespace kg::dataset::cot
