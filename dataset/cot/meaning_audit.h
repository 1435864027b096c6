#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "dataset/store/dataset.h"

namespace kg::dataset::cot {

// A sample whose program computes the same as a benchmark's task.
struct MeaningFinding {
  std::string sample, task;
  std::string how;  // "numbers": equal on all draws, in some order; "program": equal to one of `programs`
};

struct MeaningReport {
  std::uint64_t samples = 0, programs = 0;  // distinct programs among them
  std::uint64_t probes = 0, tasks = 0;
  std::uint64_t compared = 0;  // programs bound to a probe and run
  std::vector<MeaningFinding> findings;
};

// Runs every program of the data (answers in the DSL) on the inputs of every probe that match its parameters, in every
// order of inputs and results, with float instead of half and bfloat16, and one tensor for a list; results that are one
// number a row may be left out. Equal within 1e-4 on all draws of a task: found. `probes`: lines of
// dataset/benchmarks/probes.py. `programs`: a folder of programs in the DSL that must not be in the data either; names,
// extents and constants do not count.
MeaningReport meaning_audit(const Dataset& data, const fs::path& probes, const fs::path& programs);

// Ids of the samples found: all that answer with the same program.
std::set<std::string> found_samples(const MeaningReport& report);

}  // namespace kg::dataset::cot
