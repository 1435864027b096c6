#pragma once

#include <string>

#include "base/file.h"

namespace kg::dataset::benchmarks {

// A benchmark of others that can be imported. Its worker (a folder of Python beside this one) says what its tasks are.
struct Suite {
  const char* name;          // of Task.suite, of the worker's folder, in front of the keys in /meta
  const char* title;         // as its authors write it
  const char* repository;    // where its checkouts come from
  const char* holds;         // what a checkout is known by
  bool keeps_apart;          // tensors of a case are kept one by one; else all of them or none
  std::uint64_t most_bytes;  // of inputs, beyond which a case is left out unless --largest says otherwise
};

// The worker for operators of the user's own; no benchmark.
const Suite& own_operators();

// Throws Error, naming those there are, for any other.
const Suite& suite_named(const std::string& name);

// The folder with the suite's worker.py: installed, or in the source tree.
fs::path script_folder(const Suite& suite);
// What all workers share.
fs::path shared_folder();

}  // namespace kg::dataset::benchmarks
