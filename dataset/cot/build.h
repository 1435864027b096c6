#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "sandbox/sandbox.h"

namespace kg::dataset::cot {

// What `kgtrain data build` makes: tasks from composed operators and samples of all kinds.
struct BuildOptions {
  fs::path out;
  std::uint64_t samples = 2000;
  std::uint64_t seed = 1;
  int jobs = 0;  // sandboxes at once; 0: one for each core
  int ways = 3;  // styles judged of each task
  bool quiet = false;
  std::string part;   // "I/N": only every N-th unit, kept in `units` (unit_parts.h) and not in `out`; empty: all
  std::string units;  // where parts are kept; without `part` their units are taken and not made again
  sandbox::SandboxOptions sandbox;
};

struct BuildReport {
  std::uint64_t tasks = 0, samples = 0;  // that the data set now holds
  std::uint64_t units = 0, judged = 0;   // made and judged now
  std::uint64_t duplicates = 0;          // left out now
  std::vector<std::string> failures;     // kernels of ours that were not correct
};

// With `part` only that part is made. Goes on where an earlier call with the same options stood; throws Error if the
// data set was built with others.
BuildReport run_build(const BuildOptions& options);

}  // namespace kg::dataset::cot
