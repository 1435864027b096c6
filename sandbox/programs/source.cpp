#include "sandbox/programs/source.h"

#include <sstream>

#include "base/clock.h"
#include "base/hash.h"
#include "npu/launch/object_files.h"
#include "sandbox/programs/kernel_case.h"

namespace kg::sandbox {
namespace {

CompileOutcome compile_kernel(Toolchain& toolchain, const Request& request) {
  const std::string& source = request.asked.source();
  const Sources sources = {{"kernel.cpp", source}};
  if (const std::string errors = source_errors(sources, toolchain.headers()); !errors.empty()) return {false, errors};
  const bool both = has_cube_half(source);
  return compile_halves(both, [&](CoreType type, const std::string& object) {
    toolchain.clear();
    toolchain.write("kernel.cpp",
                    prologue(type, both) + adapted_source(source) + "\n" + epilogue(request.asked.entry_point()));
    return toolchain.compile_kernel(
        {.sources = sources, .wants_header = includes_our_header(source, toolchain.headers()), .object = object},
        request.allowance);
  });
}

// The compiler's words about the line of ours that names the kernel function mean one of two things to its writer.
std::string explained(const std::string& output, const std::string& entry_point, bool has_header) {
  std::istringstream lines(output);
  std::string text;
  bool ours = false;
  for (std::string line; std::getline(lines, line);) {
    const bool missing =
        line.starts_with("entry point:") &&
        (line.find("'KG_ENTRY_POINT'") != std::string::npos ||
         line.find("no member named '" + entry_point + "' in the global namespace") != std::string::npos);
    const bool follows = ours && line.starts_with("entry point:");
    if (missing && !ours)
      text += has_header ? "kernel.cpp: error: there is no kernel function " + entry_point +
                               "; define it as extern \"C\" __global__ __aicore__ void " + entry_point +
                               "(GM_ADDR ...), with a GM_ADDR for each input and output\n"
                         : "kernel.cpp: error: kernel_operator.h is not included; begin with #include "
                           "\"kernel_operator.h\"\n";
    else if (!missing && !follows)
      text += line + "\n";
    ours = ours || missing;
  }
  return text;
}

}  // namespace

CompileOutcome compile_halves(bool both, const CompileHalf& half) {
  CompileOutcome outcome = half(CoreType::kVector, kObject);
  if (!outcome.compiled || !both) return outcome;
  const CompileOutcome cube = half(CoreType::kCube, npu::cube_half(kObject));
  if (cube.output != outcome.output) outcome.output += cube.output;
  outcome.compiled = cube.compiled;
  return outcome;
}

bool compile_source(Workshop& shop, Request& request, const std::vector<FurtherPart>& further,
                    const std::function<CompileOutcome()>& compile) {
  const double begun = monotonic_seconds();
  const std::string key =
      hash128_hex(shop.toolchain.key() + '\n' + request.asked.entry_point() + '\n' + request.asked.source());
  std::vector<Part> parts = {{key, shop.work.kernel() / kObject}};
  for (const FurtherPart& one : further) parts.push_back({key + one.name, shop.work.kernel() / one.object});
  const CompileOutcome outcome = keep_or_compile(shop.kernel, shop.compiled, parts, compile);
  request.result.set_compiled(outcome.compiled);
  request.result.set_compiler_output(outcome.compiled
                                         ? outcome.output
                                         : explained(outcome.output, request.asked.entry_point(),
                                                     request.asked.source().find("#include") != std::string::npos));
  request.result.set_compile_ms((monotonic_seconds() - begun) * 1000);
  return outcome.compiled;
}

void run_source(Workshop& shop, Request& request) {
  std::vector<FurtherPart> further;
  if (has_cube_half(request.asked.source())) further.push_back({"-cube", npu::cube_half(kObject)});
  if (!compile_source(shop, request, further, [&] { return compile_kernel(shop.toolchain, request); })) return;
  for (const proto::RunCase& run_case : request.asked.cases())
    if (!run_kernel_case(shop, request, run_case, kObject)) return;
}

}  // namespace kg::sandbox
