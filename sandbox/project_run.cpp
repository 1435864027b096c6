#include <cmath>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "npu/host/host_side.h"
#include "proto/dtype.h"
#include "sandbox/limits.h"
#include "sandbox/server.h"
#include "sandbox/source_lines.h"

// An operator project: its host side is compiled once and run for every case; the kernel is compiled for each
// combination of data types and tiling key that the cases need.

namespace kg::sandbox {
namespace {

std::string content_of(const Project& project) {
  std::string all;
  for (const Project::File& file : project.files) all += file.path + '\n' + hash128_hex(file.content) + '\n';
  return all;
}

void add_output(proto::ExecutionResult& result, const std::string& output) {
  if (output.empty()) return;
  std::string& all = *result.mutable_compiler_output();
  if (!all.empty() && all.back() != '\n') all += '\n';
  all += output;
}

// The host side runs before the device's memory holds anything that it could not have, but for inputs whose values
// decide about sizes. So it sees the values of small inputs alone: lists of lengths and indices, a few coefficients.
// Whatever an operator computes from more than that, it computes on the device.
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
  std::vector<proto::Tensor> outputs(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    outputs[static_cast<std::size_t>(order[i])].Swap(result.mutable_outputs(static_cast<int>(i)));
  for (std::size_t i = 0; i < order.size(); ++i) result.mutable_outputs(static_cast<int>(i))->Swap(&outputs[i]);
}

}  // namespace

bool Server::compile_host(const Project& project, const proto::ResourceLimits& limits, int owner,
                          proto::ExecutionResult& result) {
  const std::string key = hash128_hex(toolchain_->key() + "\nhost\n" + content_of(project));
  const fs::path shared_object = work_->kernel() / "host.so";
  CompileOutcome outcome;
  if (present_host_.key == key) {
    add_output(result, present_host_.output);
    return true;
  }
  present_host_ = {};
  variants_.clear();
  outcome.compiled = kernels_->fetch(key, shared_object, outcome.output);
  if (!outcome.compiled) {
    outcome = toolchain_->compile_host(project, limits, owner);
    if (outcome.compiled) kernels_->store(key, shared_object, outcome.output);
  }
  if (outcome.compiled) present_host_ = {key, outcome.output};
  add_output(result, outcome.output);
  return outcome.compiled;
}

HostVerdict Server::run_host(const proto::ExecutionRequest& request, const proto::RunCase& run_case,
                             const proto::ResourceLimits& limits, int owner) {
  Job job;
  job.kind = Job::Kind::kHost;
  job.launch.shared_object = cell_->path(work_->kernel() / "host.so");
  job.launch.entry_point = request.entry_point();
  job.cpu_seconds = static_cast<std::uint32_t>(std::ceil(limits.run_seconds())) + 1;
  job.memory_bytes = run_address_space(limits, run_case);
  job.file_bytes = limits.file_bytes();
  const JobOutcome outcome = cell_->run(job, seen_by_host(run_case).SerializeAsString(),
                                        {limits.run_seconds(), limits.output_bytes(), kPlanBytes, owner});
  return judge_host(outcome, run_case, limits);
}

bool Server::compile_variant(const Project& project, const proto::HostPlan& plan, const proto::ResourceLimits& limits,
                             int owner, std::string& shared_object, proto::ExecutionResult& result) {
  const std::string key =
      hash128_hex(toolchain_->key() + '\n' + content_of(project) + plan.kernel() + '\n' + plan.prologue());
  if (const auto known = variants_.find(key); known != variants_.end()) {
    shared_object = known->second;
    return true;
  }
  shared_object = "kernel-" + std::to_string(variants_.size()) + ".so";
  const fs::path made = work_->kernel() / "kernel.so";
  CompileOutcome outcome;
  const fs::path cube = npu::cube_half(made.string());
  const bool both = has_cube_half(project);
  outcome.compiled = kernels_->fetch(key, made, outcome.output);
  if (std::string same; outcome.compiled && both) outcome.compiled = kernels_->fetch(key + "-cube", cube, same);
  if (!outcome.compiled) {
    outcome = toolchain_->compile_kernel(project, plan.kernel(), plan.prologue(), limits, owner);
    if (outcome.compiled) kernels_->store(key, made, outcome.output);
    if (outcome.compiled && both) kernels_->store(key + "-cube", cube, outcome.output);
  }
  add_output(result, outcome.output);
  if (!outcome.compiled) return false;
  fs::rename(made, work_->kernel() / shared_object);
  if (both) fs::rename(cube, work_->kernel() / npu::cube_half(shared_object));
  variants_.emplace(key, shared_object);
  return true;
}

void Server::run_project(const proto::ExecutionRequest& request, const proto::ResourceLimits& limits, int owner,
                         proto::ExecutionResult& result) {
  const double begun = monotonic_seconds();
  Project project;
  try {
    project = read_project(request);
  } catch (const Error& error) {
    result.set_compiler_output(error.full_message());
    return;
  }
  present_ = {};  // variants are made under its name
  if (!compile_host(project, limits, owner, result)) return;
  for (const proto::RunCase& run_case : request.cases()) {
    if (!run_project_case(request, project, run_case, limits, owner, result)) return;
    result.set_compile_ms((monotonic_seconds() - begun) * 1000);
  }
  if (request.cases().empty()) result.set_compiled(true);
}

bool Server::run_project_case(const proto::ExecutionRequest& request, const Project& project,
                              const proto::RunCase& run_case, const proto::ResourceLimits& limits, int owner,
                              proto::ExecutionResult& result) {
  HostVerdict host = run_host(request, run_case, limits, owner);
  if (!host.sandbox_error.empty()) {
    result.set_sandbox_error(host.sandbox_error);
    return false;
  }
  // A project whose host side refuses the case may still have a kernel that does not compile.
  std::string shared_object;
  if (!host.plan.prologue().empty()) {
    bool compiled = false;
    try {
      compiled = compile_variant(project, host.plan, limits, owner, shared_object, result);
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::kUsage) throw;
      add_output(result, error.full_message());
    }
    if (!compiled) {
      result.set_compiled(false);
      return false;
    }
  }
  result.set_compiled(true);
  const int done = result.cases_size();
  if (host.plan.can_launch()) {
    const npu::BoundCase bound = npu::bind_case(run_case, host.plan);
    this->run_case(request, bound.run_case, shared_object, limits, owner, result);
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
