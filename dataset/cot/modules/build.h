#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/file.h"
#include "sandbox/sandbox.h"

namespace kg::dataset::cot::modules {

struct BuildOptions {
  fs::path out;
  std::uint64_t graphs = 1000;  // number of accepted graphs
  int surfaces = 4;
  int descriptions = 2;
  bool described = false;  // tasks are asked by descriptions
  bool written = false;    // samples of modules as they are written beside those by their operators
  std::uint64_t seed = 1;
  int jobs = 0;
  std::string split = "train";
  bool tasks = false;  // tasks to be asked in place of samples to be learned, of the split held out in any case
  bool even_strata =
      false;  // as many of each stratum, half of them with two hops or more; of tasks each structure once
  std::string python;
  sandbox::SandboxOptions sandbox;
  fs::path rejects;  // what was thrown away, for those who mend the generator

  bool makes_tasks() const { return tasks || split == "heldout"; }
};

struct BuildReport {
  std::uint64_t graphs = 0, samples = 0, executed = 0, wrong = 0, failed = 0, duplicates = 0;
  std::map<std::string, std::uint64_t> reasons, strata;
};

// Goes on where an earlier call with the same options stood.
BuildReport run_build(const BuildOptions& options);

}  // namespace kg::dataset::cot::modules
