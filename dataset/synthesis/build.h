#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "sandbox/sandbox.h"

namespace kg::dataset {

// What `kgtrain data build` makes: built-in tasks, and for the training tasks Ascend-CoT samples whose kernels were
// judged.
struct BuildOptions {
  fs::path out;
  std::uint64_t samples = 2000;
  std::uint64_t seed = 1;
  int jobs = 0;                       // sandboxes at once; 0: one for each core
  std::string style = "both";         // of the kernels: "compact", "full", "both"
  std::string prompt = "both";        // "short", "npukernelbench", "both"
  std::vector<std::string> families;  // only these families of operators (dataset/synthesis/families.cpp); empty: all
  bool quiet = false;                 // no progress line
  sandbox::SandboxOptions sandbox;
};

struct BuildReport {
  std::uint64_t tasks = 0, heldout_tasks = 0;  // that the data set now holds of this build
  std::uint64_t samples = 0;                   // likewise
  std::uint64_t judged = 0;                    // kernels judged now; less than tasks and samples after a restart
  std::vector<std::string>
      failures;  // a generated kernel that is not correct is a bug of the generator: "task style: why"
};

// Deterministic: the options except `jobs` and `quiet` determine what is stored, in which order. May be killed and
// started again: what stands already is not judged again. Throws Error if the sandbox itself fails.
BuildReport run_build(const BuildOptions& options);

}  // namespace kg::dataset
