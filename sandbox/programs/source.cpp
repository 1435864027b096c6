#include "sandbox/programs/source.h"

#include "base/clock.h"
#include "base/hash.h"
#include "sandbox/programs/kernel_case.h"

namespace kg::sandbox {
namespace {

CompileOutcome compile_kernel(Toolchain& toolchain, const Request& request) {
  const std::string& source = request.asked.source();
  const Sources sources = {{"kernel.cpp", source}};
  if (const std::string errors = source_errors(sources, toolchain.headers()); !errors.empty()) return {false, errors};
  const bool both = npu::has_cube_half(source);
  return compile_halves(both, [&](npu::CoreType type, const std::string& object) {
    toolchain.clear();
    toolchain.write("kernel.cpp", npu::prologue(type, both) + adapted_source(source) + "\n" +
                                      npu::epilogue(request.asked.entry_point()));
    return toolchain.compile_kernel({.sources = sources,
                                     .wants_header = includes_our_header(source, toolchain.headers()),
                                     .folders = {},
                                     .object = object},
                                    request.allowance);
  });
}

}  // namespace

CompileOutcome compile_halves(bool both, const CompileHalf& half) {
  CompileOutcome outcome = half(npu::CoreType::kVector, kObject);
  if (!outcome.compiled || !both) return outcome;
  const CompileOutcome cube = half(npu::CoreType::kCube, npu::cube_half(kObject));
  if (cube.output != outcome.output) outcome.output += cube.output;
  outcome.compiled = cube.compiled;
  return outcome;
}

bool compile_source(Workshop& shop, Request& request, const std::string& second_part, const std::string& second_object,
                    const std::function<CompileOutcome()>& compile) {
  const double begun = monotonic_seconds();
  const std::string key =
      hash128_hex(shop.toolchain.key() + '\n' + request.asked.entry_point() + '\n' + request.asked.source());
  std::vector<Part> parts = {{key, shop.work.kernel() / kObject}};
  if (!second_part.empty()) parts.push_back({key + second_part, shop.work.kernel() / second_object});
  const CompileOutcome outcome = keep_or_compile(shop.kernel, shop.compiled, parts, compile);
  request.result.set_compiled(outcome.compiled);
  request.result.set_compiler_output(outcome.output);
  request.result.set_compile_ms((monotonic_seconds() - begun) * 1000);
  return outcome.compiled;
}

void run_source(Workshop& shop, Request& request) {
  const bool both = npu::has_cube_half(request.asked.source());
  if (!compile_source(shop, request, both ? "-cube" : "", npu::cube_half(kObject),
                      [&] { return compile_kernel(shop.toolchain, request); }))
    return;
  for (const proto::RunCase& run_case : request.asked.cases())
    if (!run_kernel_case(shop, request, run_case, kObject)) return;
}

}  // namespace kg::sandbox
