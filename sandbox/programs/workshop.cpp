#include "sandbox/programs/workshop.h"

#include <utility>

namespace kg::sandbox {
namespace {

constexpr const char* kKernelsInside = "/kernel";

CellSpec kernel_cell(const WorkFolder& work) {
  CellSpec spec;
  spec.mounts.push_back({work.kernel(), kKernelsInside});
  return spec;
}

}  // namespace

void Request::say(const std::string& output) {
  if (output.empty()) return;
  std::string& all = *result.mutable_compiler_output();
  if (!all.empty() && all.back() != '\n') all += '\n';
  all += output;
}

Workshop::Workshop(Isolation given, const std::string& cache_folder)
    : isolation(given),
      cache(cache_folder.empty() ? kgtrain_home() / "cache" : fs::path(cache_folder)),
      compiled(cache_folder),
      toolchain(given, work, cache),
      kernels(given, kernel_cell(work)) {}

CompileOutcome fetch_or_compile(KernelCache& cache, const std::vector<Part>& parts,
                                const std::function<CompileOutcome()>& compile) {
  CompileOutcome outcome{.compiled = true, .output = {}};
  for (const Part& part : parts)
    outcome.compiled = outcome.compiled && cache.fetch(part.key, part.file, outcome.output);
  if (outcome.compiled) return outcome;
  outcome = compile();
  if (outcome.compiled)
    for (const Part& part : parts) cache.store(part.key, part.file, outcome.output);
  return outcome;
}

CompileOutcome keep_or_compile(Kept& kept, KernelCache& cache, const std::vector<Part>& parts,
                               const std::function<CompileOutcome()>& compile) {
  const std::string& key = parts.front().key;
  if (kept.key == key) return {true, kept.output};
  kept = {};
  CompileOutcome outcome = fetch_or_compile(cache, parts, compile);
  if (outcome.compiled) kept = {key, outcome.output};
  return outcome;
}

}  // namespace kg::sandbox
