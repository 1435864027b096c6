#include "sandbox/programs/launch.h"

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"
#include "npu/launch/host_function.h"
#include "npu/launch/object_files.h"
#include "sandbox/cell/limits.h"
#include "sandbox/checks/compilation.h"
#include "sandbox/checks/language.h"
#include "sandbox/programs/direct_launch.h"
#include "sandbox/programs/host_start.h"
#include "sandbox/programs/kernel_case.h"
#include "sandbox/programs/source.h"

namespace kg::sandbox {
namespace {

// Whether the host function computes a tiling, as far as the headers say.
bool computes_tiling(const std::string& source) {
  return source.find(kTilingHeader) != std::string::npos ||
         source.find("platform/platform_ascendc.h") != std::string::npos;
}

CompileOutcome compile_launch(Toolchain& toolchain, const Request& request) {
  DirectLaunch direct;
  try {
    direct = read_direct_launch(request.asked.source(), request.asked.entry_point());
  } catch (const Error& error) {
    return {false, error.full_message() + "\n"};
  }
  const Sources sources = {{"kernel.cpp", request.asked.source()}};
  if (const std::string errors = source_errors(sources, toolchain.headers()); !errors.empty()) return {false, errors};
  const bool both = has_cube_half(request.asked.source());
  const bool tiles = computes_tiling(request.asked.source());
  if (tiles)
    toolchain.make_tiling_header();
  else
    toolchain.make_plain_header();
  const std::string tiling = tiles ? std::string("#include \"") + kTilingHeader + "\"\n#line 1 \"kernel.cpp\"\n" : "";
  const auto text_for = [&](CoreType type) {
    return direct_prologue(type, both) + tiling + adapted_source(direct.source) + "\n";
  };
  const CompileOutcome device = compile_halves(both, [&](CoreType type, const std::string& object) {
    toolchain.clear();
    toolchain.write("kernel.cpp", text_for(type));
    return toolchain.compile_kernel({.sources = sources, .wants_header = true, .wants_tiling = tiles, .object = object},
                                    request.allowance);
  });
  if (!device.compiled) return device;
  toolchain.write("kernel.cpp", text_for(CoreType::kVector) +
                                    host_function_epilogue(direct.host_function, direct.streams) + kHostStart);
  CompileOutcome host = toolchain.compile_plain(tiles, request.allowance);
  if (!host.compiled) return host;
  const CompileOutcome linked =
      toolchain.link({"kernel.o"}, Toolchain::Unwinding::kNone, npu::host_function_object(kObject), request.allowance);
  return {linked.compiled, host.output + linked.output};
}

// The host function gets its inputs' addresses, which depend on their sizes, but not their content.
proto::RunCase without_values(const proto::RunCase& run_case) {
  proto::RunCase same = run_case;
  for (proto::Tensor& input : *same.mutable_inputs())
    std::fill(input.mutable_data()->begin(), input.mutable_data()->end(), '\0');
  return same;
}

// False: nothing more is to be run.
bool run_launch_case(Workshop& shop, Request& request, const proto::RunCase& run_case) {
  proto::ExecutionResult& result = request.result;
  const Job job = case_job(shop, request, Job::Kind::kHostFunction, run_case, npu::host_function_object(kObject));
  const JobOutcome outcome =
      shop.kernels.run(job, without_values(run_case).SerializeAsString(), case_bounds(request, kPlanBytes));
  const LaunchVerdict verdict = judge_launches(outcome, request.limits());
  if (!verdict.sandbox_error.empty()) {
    result.set_sandbox_error(verdict.sandbox_error);
    return false;
  }
  const int done = result.cases_size();
  if (verdict.plan.faults().empty()) {
    proto::RunCase launched = run_case;
    *launched.mutable_launches() = verdict.plan.launches();
    run_kernel_case(shop, request, launched, kObject);
    if (result.cases_size() == done) return false;  // the sandbox failed
  } else {
    *result.add_cases()->mutable_faults() = verdict.plan.faults();
  }
  proto::CaseResult& made = *result.mutable_cases(done);
  made.set_output(readable_utf8(outcome.output) + made.output());
  made.set_output_truncated(made.output_truncated() || outcome.output_truncated);
  return made.ran();
}

}  // namespace

void run_launch(Workshop& shop, Request& request) {
  std::vector<FurtherPart> parts = {{"-host", npu::host_function_object(kObject)}};
  if (has_cube_half(request.asked.source())) parts.push_back({"-cube", npu::cube_half(kObject)});
  if (!compile_source(shop, request, parts, [&] { return compile_launch(shop.toolchain, request); })) return;
  for (const proto::RunCase& run_case : request.asked.cases())
    if (!run_launch_case(shop, request, run_case)) return;
}

}  // namespace kg::sandbox
