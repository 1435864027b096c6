#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sandbox/cell/cell.h"
#include "sandbox/cell/work_folder.h"
#include "sandbox/compiler/compile_outcome.h"
#include "sandbox/compiler/kernel_cache.h"
#include "sandbox/compiler/toolchain.h"
#include "sandbox/pytorch/module_host.h"

namespace kg::sandbox {

// One request in progress: the request, its limits, and the results so far.
struct Request {
  const proto::ExecutionRequest& asked;
  Allowance allowance;
  proto::ExecutionResult& result;

  const proto::ResourceLimits& limits() const { return allowance.limits; }
  // Appends to the compilers' messages.
  void say(const std::string& output);
};

// A compiled program in the kernel folder: one that is looked at twice is compiled once.
struct Kept {
  std::string key, output;
};

// Where programs are compiled and run; kept from request to request. After a fault of the host it is rebuilt.
struct Workshop {
  Workshop(Isolation isolation, const std::string& cache_folder);

  Isolation isolation;
  fs::path cache;  // for the compilers' own files; compiled kernels are kept in `compiled`
  WorkFolder work;
  KernelCache compiled;
  Toolchain toolchain;
  Cell kernels;                         // the cell where kernels run
  std::unique_ptr<ModuleHost> modules;  // created for the first module

  Kept kernel, host, binding;
  std::string project;                          // content_of() the last one
  std::map<std::string, std::string> variants;  // its compiled kernels: key to object
};

// A shared object under its key in the cache.
struct Part {
  std::string key;
  fs::path file;
};

// Takes all parts from the cache, or compiles and stores them.
CompileOutcome fetch_or_compile(KernelCache& cache, const std::vector<Part>& parts,
                                const std::function<CompileOutcome()>& compile);

// The same for parts that may still be there from the last request: `kept` identifies them, by the first part's
// key.
CompileOutcome keep_or_compile(Kept& kept, KernelCache& cache, const std::vector<Part>& parts,
                               const std::function<CompileOutcome()>& compile);

}  // namespace kg::sandbox
