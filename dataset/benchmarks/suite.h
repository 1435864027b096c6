#pragma once

#include <string>

#include "base/file.h"

namespace kg::dataset::benchmarks {

// A third-party benchmark that can be imported. Its worker (a folder of Python beside this one) lists its tasks.
struct Suite {
  const char* name;          // name in Task.suite, name of the worker's folder, and prefix of the keys in /meta
  const char* title;         // as its authors spell it
  const char* repository;    // where its checkouts can be fetched
  const char* holds;         // a file that identifies a checkout
  bool keeps_apart;          // the tensors of a case are stored one by one; otherwise all of them or none
  std::uint64_t most_bytes;  // limit for a case's inputs, beyond which it is left out unless --largest says otherwise
};

// The worker for the user's own operators; not a benchmark.
const Suite& own_operators();

// Throws Error, with the known names, for any other name.
const Suite& suite_named(const std::string& name);

// The folder with the suite's worker.py: installed, or in the source tree.
fs::path script_folder(const Suite& suite);
// Modules that all workers share.
fs::path shared_folder();

}  // namespace kg::dataset::benchmarks
