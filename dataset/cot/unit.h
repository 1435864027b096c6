#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/record.pb.h"
#include "sandbox/sandbox.h"

namespace kg::dataset::cot {

// A piece of work that is done as a whole: one task with all its samples, or a few questions. A pure function of seed
// and index.
struct Unit {
  std::vector<proto::Task> tasks;
  std::vector<proto::Sample> samples;
  std::vector<std::string> failures;  // our own kernels that are not correct: bugs
  int judged = 0;                     // kernels and probes that ran
};

struct UnitOptions {
  std::uint64_t seed = 1;
  int ways = 3;  // styles judged and ranked for each task
};

Unit make_unit(std::uint64_t index, const UnitOptions& options, sandbox::Sandbox& sandbox);

}  // namespace kg::dataset::cot
