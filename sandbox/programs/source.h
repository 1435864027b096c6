#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sandbox/checks/compilation.h"
#include "sandbox/checks/language.h"
#include "sandbox/programs/workshop.h"

namespace kg::sandbox {

// A source with a __global__ function: compiled once, each case in its own process.
//
//   source ─► cache ─► toolchain's cell ─► kernel.so ─► kernel's cell, one process a case ─► judge_case ─► result
void run_source(Workshop& shop, Request& request);

inline constexpr const char* kObject = "kernel.o";

// Compiles a kernel for vector cores and, if it has code for them, for cube cores: two shared objects, the second
// beside the first.
using CompileHalf = std::function<CompileOutcome(CoreType, const std::string& object)>;
CompileOutcome compile_halves(bool both, const CompileHalf& half);

// An object beside the kernel's, and what distinguishes its place in the cache.
struct FurtherPart {
  std::string name, object;
};
// The objects of a request with one source, from the cache or from `compile`; reported in the result.
bool compile_source(Workshop& shop, Request& request, const std::vector<FurtherPart>& further,
                    const std::function<CompileOutcome()>& compile);

}  // namespace kg::sandbox
