#include "sandbox/programs/project.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "npu/host/host_side.h"
#include "npu/launch/object_files.h"
#include "proto/dtype.h"
#include "sandbox/cell/limits.h"
#include "sandbox/checks/compilation.h"
#include "sandbox/checks/language.h"
#include "sandbox/programs/direct_launch.h"
#include "sandbox/programs/host_start.h"
#include "sandbox/programs/kernel_case.h"
#include "sandbox/programs/source.h"
#include "sandbox/programs/source_lines.h"
#include "sandbox/programs/template_mismatch.h"

namespace kg::sandbox {
namespace {

constexpr const char* kHostObject = "host.so";

// The file that includes a project's kernel is ours.
constexpr const char* kGenerated = "from op_host";

std::string without_generated_lines(const std::string& output) {
  const std::string ours = fmt::format("In file included from {}", kGenerated);
  std::string text;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size() - 1) + 1;
    const std::string line = output.substr(begin, end - begin);
    if (!line.starts_with(ours)) text += line.starts_with("./") ? line.substr(2) : line;
    begin = end;
  }
  return text;
}

CompileOutcome compile_host_side(Toolchain& toolchain, const Project& project, const Allowance& allowance) {
  const auto wants_header = [&](const std::string& source) {
    return mentions(project, source, "register/op_def_registry.h");
  };
  std::vector<std::string> sources = project.host_sources, objects;
  if (std::ranges::any_of(sources, wants_header)) toolchain.make_host_header();
  toolchain.clear();
  for (const Project::File& file : project.files) toolchain.write(file.path, file.content);
  toolchain.write("kg_start.cpp", kHostStart);
  sources.push_back("kg_start.cpp");
  CompileOutcome all;
  for (const std::string& source : sources) {
    objects.push_back("host" + std::to_string(objects.size()) + ".o");
    const CompileOutcome one = toolchain.compile_host(source, objects.back(), wants_header(source), allowance);
    all.output += one.output;
    if (!one.compiled) return all;
  }
  const CompileOutcome linked = toolchain.link(objects, Toolchain::Unwinding::kExceptions, kHostObject, allowance);
  return {linked.compiled, all.output + linked.output};
}

// The kernel, preceded by the host side's decisions.
CompileOutcome compile_kernel(Toolchain& toolchain, const Project& project, const proto::HostPlan& plan,
                              const Allowance& allowance) {
  Sources sources;
  for (const Project::File& file : project.files)
    if (file.path.find("op_kernel") != std::string::npos) sources.push_back({file.path, file.content});
  sources.push_back({kGenerated, plan.prologue()});  // written by the process in which the host side ran
  if (const std::string errors = source_errors(sources, toolchain.headers()); !errors.empty()) return {false, errors};
  const bool both = has_cube_half(project);
  const bool wants_header = std::any_of(sources.begin(), sources.end(), [&](const Source& source) {
    return includes_our_header(source.text, toolchain.headers());
  });
  // The host side's prologue names the template instance to launch.
  const bool is_template = plan.prologue().find("#define KG_TEMPLATE_ARGUMENTS") != std::string::npos;
  const bool has_task_type = plan.prologue().find("#define KG_TEMPLATE_TASK_TYPE") != std::string::npos;
  const std::string entry = plan.kernel() + (is_template ? " KG_TEMPLATE_ARGUMENTS" : "");
  const auto compile = [&](CoreType type, const std::string& object, const std::string& end) {
    toolchain.clear();
    for (std::size_t i = 0; i < project.files.size(); ++i)
      toolchain.write(project.files[i].path,
                      numbered_source(project, i, adapted_source(without_launchers(project.files[i].content))));
    toolchain.write("kernel.cpp", prologue(type, both) + "#include \"kgnpu/type_numbers.h\"\n#line 1 \"" + kGenerated +
                                      "\"\n" + plan.prologue() + registered_tiling(project) + "#include \"" +
                                      kernel_file(project, plan.kernel()) + "\"\n" + end);
    CompileOutcome outcome =
        toolchain.compile_kernel({.sources = sources, .wants_header = wants_header, .object = object}, allowance);
    outcome.output = with_own_lines(without_generated_lines(outcome.output));
    return outcome;
  };
  const std::string end = epilogue(entry) + (is_template ? "KG_TEMPLATE_KEY\n" : "") +
                          (has_task_type ? "KG_TEMPLATE_TASK(KG_TEMPLATE_TASK_TYPE)\n" : "");
  return compile_halves(both, [&](CoreType type, const std::string& object) {
    CompileOutcome outcome = compile(type, object, end);
    if (outcome.compiled || !is_template || !is_template_mismatch(outcome.output)) return outcome;
    const std::string line = template_mismatch(compile(type, object, template_probe(plan)).output, plan);
    if (!line.empty()) outcome.output = line;
    return outcome;
  });
}

// The host side runs before the device's memory holds anything it could not have, except that the values of some
// inputs determine sizes. So it sees only the values of small inputs: lists of lengths and indices, a few coefficients.
// Whatever an operator computes from more data, it computes on the device.
constexpr std::uint64_t kMostHostNumbers = 1024;  // bytes of a floating type
constexpr std::uint64_t kMostHostIntegers = 8192;

proto::RunCase seen_by_host(const proto::RunCase& run_case) {
  proto::RunCase seen;
  *seen.mutable_outputs() = run_case.outputs();
  *seen.mutable_attributes() = run_case.attributes();
  seen.set_block_dim(run_case.block_dim());
  for (const proto::Tensor& input : run_case.inputs()) {
    const bool integer = input.dtype() != proto::FLOAT16 && input.dtype() != proto::BFLOAT16 &&
                         input.dtype() != proto::FLOAT32 && input.dtype() != proto::FLOAT64 &&
                         input.dtype() != proto::COMPLEX64;
    proto::Tensor& tensor = *seen.add_inputs();
    tensor.set_name(input.name());
    tensor.set_dtype(input.dtype());
    *tensor.mutable_shape() = input.shape();
    tensor.set_kind(input.kind());
    tensor.set_absent(input.absent());
    tensor.set_format(input.format());
    *tensor.mutable_storage_shape() = input.storage_shape();
    if (input.data().size() <= (integer ? kMostHostIntegers : kMostHostNumbers)) tensor.set_data(input.data());
  }
  return seen;
}

// The result's outputs are in the order in which the kernel has them.
void restore_order(proto::CaseResult& result, const std::vector<int>& order) {
  if (result.outputs_size() != static_cast<int>(order.size())) return;
  std::vector<proto::Tensor> outputs(order.size() -
                                     static_cast<std::size_t>(std::ranges::count(order, npu::kNotInCase)));
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order[i] != npu::kNotInCase)
      outputs[static_cast<std::size_t>(order[i])].Swap(result.mutable_outputs(static_cast<int>(i)));
  result.clear_outputs();
  for (proto::Tensor& output : outputs) result.add_outputs()->Swap(&output);
}

HostVerdict run_host(Workshop& shop, const Request& request, const proto::RunCase& run_case) {
  Job job = case_job(shop, request, Job::Kind::kHost, run_case, kHostObject);
  const JobOutcome outcome =
      shop.kernels.run(job, seen_by_host(run_case).SerializeAsString(), case_bounds(request, kPlanBytes));
  return judge_host(outcome, run_case, request.limits());
}

// The kernel that a plan needs, compiled unless it is there. Gives its shared object, or nothing if it does not
// compile.
std::optional<std::string> compile_variant(Workshop& shop, Request& request, const Project& project,
                                           const proto::HostPlan& plan) {
  const std::string key =
      hash128_hex(shop.toolchain.key() + '\n' + shop.project + plan.kernel() + '\n' + plan.prologue());
  if (const auto known = shop.variants.find(key); known != shop.variants.end()) return known->second;
  const fs::path made = shop.work.kernel() / kObject, cube = npu::cube_half(made.string());
  const bool both = has_cube_half(project);
  std::vector<Part> parts = {{key, made}};
  if (both) parts.push_back({key + "-cube", cube});
  const CompileOutcome outcome = fetch_or_compile(
      shop.compiled, parts, [&] { return compile_kernel(shop.toolchain, project, plan, request.allowance); });
  request.say(outcome.output);
  if (!outcome.compiled) return std::nullopt;
  const std::string object = "kernel-" + std::to_string(shop.variants.size()) + ".o";
  fs::rename(made, shop.work.kernel() / object);
  if (both) fs::rename(cube, shop.work.kernel() / npu::cube_half(object));
  shop.variants.emplace(key, object);
  return object;
}

}  // namespace

bool compile_host(Workshop& shop, Request& request, const Project& project) {
  shop.kernel = {};  // variants are made under its name
  if (std::string content = content_of(project); shop.project != content) {
    shop.project = std::move(content);
    shop.variants.clear();
  }
  const std::string key = hash128_hex(shop.toolchain.key() + "\nhost\n" + host_content(project));
  const CompileOutcome outcome =
      keep_or_compile(shop.host, shop.compiled, {{key, shop.work.kernel() / kHostObject}},
                      [&] { return compile_host_side(shop.toolchain, project, request.allowance); });
  request.say(outcome.output);
  return outcome.compiled;
}

void run_project(Workshop& shop, Request& request) {
  proto::ExecutionResult& result = request.result;
  const double begun = monotonic_seconds();
  Project project;
  try {
    project = read_project(request.asked);
  } catch (const Error& error) {
    result.set_compiler_output(error.full_message());
    return;
  }
  if (!compile_host(shop, request, project)) return;
  for (const proto::RunCase& run_case : request.asked.cases()) {
    if (!run_project_case(shop, request, project, run_case)) return;
    result.set_compile_ms((monotonic_seconds() - begun) * 1000);
  }
  if (request.asked.cases().empty()) result.set_compiled(true);
}

bool run_project_case(Workshop& shop, Request& request, const Project& project, const proto::RunCase& run_case) {
  proto::ExecutionResult& result = request.result;
  HostVerdict host = run_host(shop, request, run_case);
  if (!host.sandbox_error.empty()) {
    result.set_sandbox_error(host.sandbox_error);
    return false;
  }
  // A project whose host side refuses the case may still have a kernel that does not compile.
  std::optional<std::string> object;
  if (!host.plan.prologue().empty()) {
    try {
      object = compile_variant(shop, request, project, host.plan);
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::kUsage) throw;
      request.say(error.full_message());
    }
    if (!object) {
      result.set_compiled(false);
      return false;
    }
  }
  result.set_compiled(true);
  const int done = result.cases_size();
  if (host.plan.can_launch()) {
    const npu::BoundCase bound = npu::bind_case(run_case, host.plan);
    run_kernel_case(shop, request, bound.run_case, object.value_or(""));
    if (result.cases_size() == done) return false;  // the sandbox failed
    restore_order(*result.mutable_cases(done), bound.outputs);
  } else {
    result.add_cases();
  }
  proto::CaseResult& made = *result.mutable_cases(done);
  place_in_files(project, made);
  for (const proto::Fault& fault : host.plan.faults()) *made.add_faults() = fault;
  *made.mutable_host() = host.plan.result();
  return made.ran();
}

}  // namespace kg::sandbox
