#include "sandbox/server.h"

#include <signal.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "proto/frame.h"
#include "sandbox/case_verdict.h"
#include "sandbox/direct_launch.h"
#include "sandbox/dsl_kernel.h"
#include "sandbox/limits.h"

namespace kg::sandbox {
namespace {

constexpr const char* kKernelInside = "/kernel";

void require_usable(const proto::ExecutionRequest& request) {
  if (request.language() != proto::ASCENDC)
    throw Error("an operator project is written in Ascend C", "execution request", "give the program as a source");
  const std::string& name = request.entry_point();
  if (request.project_size() > 0 || request.has_module()) return;  // whose operator names it
  bool valid = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0;
  for (const unsigned char c : name) valid = valid && (std::isalnum(c) != 0 || c == '_');
  if (!valid)
    throw Error("'" + name + "' cannot be the name of a kernel", "execution request", "name the __global__ function");
}

// What compilers and kernels print need not be text, and may be cut off within a character.
void make_text(proto::ExecutionResult& result) {
  const auto text = [](std::string* bytes) {
    if (!is_utf8(*bytes)) *bytes = readable_utf8(*bytes);
  };
  text(result.mutable_compiler_output());
  text(result.mutable_sandbox_error());
  for (proto::CaseResult& one : *result.mutable_cases()) {
    text(one.mutable_output());
    text(one.mutable_result_form());
    if (one.has_host()) text(one.mutable_host()->mutable_log());
    for (proto::Fault& fault : *one.mutable_faults()) text(fault.mutable_message());
  }
}

// The host function of a source has its inputs' addresses, which hang on their sizes, and nothing else of them.
proto::RunCase without_values(const proto::RunCase& run_case) {
  proto::RunCase same = run_case;
  for (proto::Tensor& input : *same.mutable_inputs())
    std::fill(input.mutable_data()->begin(), input.mutable_data()->end(), '\0');
  return same;
}

std::uint32_t block_dim_of(const proto::ExecutionRequest& request, const proto::RunCase& run_case) {
  if (run_case.has_host()) return run_case.host().block_dim();
  const std::uint32_t block_dim = run_case.block_dim() > 0 ? run_case.block_dim() : request.block_dim();
  return block_dim == 0 ? 1 : block_dim;
}

}  // namespace

void Server::make_ready() {
  if (cell_) return;
  const Isolation isolation = find_isolation(options_.allow_less_isolation);
  work_ = std::make_unique<WorkFolder>();
  kernels_ = std::make_unique<KernelCache>(options_.cache_folder);
  const fs::path cache = options_.cache_folder.empty() ? kgtrain_home() / "cache" : fs::path(options_.cache_folder);
  toolchain_ = std::make_unique<Toolchain>(isolation, *work_, cache);
  CellSpec spec;
  spec.mounts.push_back({work_->kernel(), kKernelInside});
  cell_ = std::make_unique<Cell>(isolation, std::move(spec));
}

void Server::run_source(const proto::ExecutionRequest& request, const proto::ResourceLimits& limits, int owner,
                        proto::ExecutionResult& result) {
  const bool direct = launches_directly(request.source());
  if (!compile(request, direct, limits, owner, result)) return;
  for (const proto::RunCase& run_case : request.cases())
    if (!(direct ? run_direct_case(request, run_case, limits, owner, result)
                 : this->run_case(request, run_case, "kernel.so", limits, owner, result)))
      return;
}

bool Server::compile(const proto::ExecutionRequest& request, bool direct, const proto::ResourceLimits& limits,
                     int owner, proto::ExecutionResult& result) {
  const double begun = monotonic_seconds();
  const fs::path shared_object = work_->kernel() / "kernel.so";
  const std::string key = hash128_hex(toolchain_->key() + '\n' + request.entry_point() + '\n' + request.source());
  CompileOutcome outcome;
  // Other shared objects are kept beside the first: the code for cube cores, a host function.
  std::vector<std::pair<std::string, fs::path>> parts = {{key, shared_object}};
  if (direct)
    parts.emplace_back(key + "-host", npu::host_function_object(shared_object.string()));
  else if (npu::has_cube_half(request.source()))
    parts.emplace_back(key + "-cube", npu::cube_half(shared_object.string()));
  if (present_.key == key) {
    outcome = {true, present_.output};
  } else {
    present_ = {};
    outcome.compiled = true;
    for (const auto& [name, path] : parts)
      outcome.compiled = outcome.compiled && kernels_->fetch(name, path, outcome.output);
  }
  if (!outcome.compiled) {
    outcome = toolchain_->compile(request.source(), request.entry_point(), limits, owner);
    for (const auto& [name, path] : parts)
      if (outcome.compiled) kernels_->store(name, path, outcome.output);
  }
  if (outcome.compiled) present_ = {key, outcome.output};
  result.set_compiled(outcome.compiled);
  result.set_compiler_output(outcome.output);
  result.set_compile_ms((monotonic_seconds() - begun) * 1000);
  return outcome.compiled;
}

Job Server::case_job(Job::Kind kind, const proto::ExecutionRequest& request, const proto::RunCase& run_case,
                     const std::string& shared_object, const proto::ResourceLimits& limits) const {
  Job job;
  job.kind = kind;
  job.launch.shared_object = cell_->path(work_->kernel() / shared_object);
  job.launch.entry_point = request.entry_point();
  job.launch.block_dim = block_dim_of(request, run_case);
  job.launch.workspace_bytes = request.workspace_bytes();
  job.launch.core_order_seed = request.core_order_seed();
  job.launch.cycle_limit = limits.cycles();
  job.launch.want_timeline = request.want_timeline();
  job.cpu_seconds = static_cast<std::uint32_t>(std::ceil(limits.run_seconds())) + 1;
  job.memory_bytes = run_address_space(limits, run_case);
  job.file_bytes = limits.file_bytes();
  return job;
}

bool Server::run_case(const proto::ExecutionRequest& request, const proto::RunCase& run_case,
                      const std::string& shared_object, const proto::ResourceLimits& limits, int owner,
                      proto::ExecutionResult& result) {
  const JobOutcome outcome =
      cell_->run(case_job(Job::Kind::kCase, request, run_case, shared_object, limits), run_case.SerializeAsString(),
                 {limits.run_seconds(), limits.output_bytes(), result_bytes(run_case), owner});
  CaseVerdict verdict = judge_case(outcome, run_case, limits);
  if (!verdict.sandbox_error.empty()) {
    result.set_sandbox_error(verdict.sandbox_error);
    return false;
  }
  *result.add_cases() = std::move(verdict.result);
  return result.cases().rbegin()->ran();
}

bool Server::run_direct_case(const proto::ExecutionRequest& request, const proto::RunCase& run_case,
                             const proto::ResourceLimits& limits, int owner, proto::ExecutionResult& result) {
  const std::string shared_object = "kernel.so";
  const JobOutcome outcome = cell_->run(
      case_job(Job::Kind::kHostFunction, request, run_case, npu::host_function_object(shared_object), limits),
      without_values(run_case).SerializeAsString(), {limits.run_seconds(), limits.output_bytes(), kPlanBytes, owner});
  const LaunchVerdict verdict = judge_launches(outcome, limits);
  if (!verdict.sandbox_error.empty()) {
    result.set_sandbox_error(verdict.sandbox_error);
    return false;
  }
  const int done = result.cases_size();
  if (verdict.plan.faults().empty()) {
    proto::RunCase launched = run_case;
    *launched.mutable_launches() = verdict.plan.launches();
    this->run_case(request, launched, shared_object, limits, owner, result);
    if (result.cases_size() == done) return false;  // the sandbox failed
  } else {
    *result.add_cases()->mutable_faults() = verdict.plan.faults();
  }
  proto::CaseResult& made = *result.mutable_cases(done);
  made.set_output(readable_utf8(outcome.output) + made.output());
  made.set_output_truncated(made.output_truncated() || outcome.output_truncated);
  return made.ran();
}

proto::ExecutionResult Server::execute(const proto::ExecutionRequest& request, int owner) {
  if (request.language() == proto::DSL && request.project_size() == 0 && !request.has_module())
    return execute_dsl(request, [&](const proto::ExecutionRequest& lowered) { return execute(lowered, owner); });
  const double begun = monotonic_seconds();
  proto::ExecutionResult result;
  try {
    require_usable(request);
    make_ready();
    const proto::ResourceLimits limits = with_default_limits(request.limits());
    if (request.cases_size() > 0) cell_->start();  // made while the compiler works
    if (request.has_module())
      run_module(request, limits, owner, result);
    else if (request.project_size() > 0)
      run_project(request, limits, owner, result);
    else
      run_source(request, limits, owner, result);
  } catch (const Error& error) {
    result.Clear();
    result.set_sandbox_error(error.full_message());
    // Whatever is broken, the next request looks at the host afresh.
    cell_.reset();
    modules_.reset();
    toolchain_.reset();
    work_.reset();
    present_ = present_host_ = present_binding_ = {};
    variants_.clear();
  } catch (const std::exception& error) {
    result.Clear();
    result.set_sandbox_error(error.what());
  }
  result.set_wall_ms((monotonic_seconds() - begun) * 1000);
  return result;
}

int serve(int socket, ServerOptions options) {
  keep_only(socket);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGINT, SIG_IGN);  // of the caller's terminal: the caller decides, and we end when it does
  Server server(std::move(options));
  proto::ExecutionRequest request;
  while (proto::read_framed(socket, request)) {
    proto::ExecutionResult result = server.execute(request, socket);
    make_text(result);
    proto::write_framed(socket, result);
  }
  return 0;
}

}  // namespace kg::sandbox
