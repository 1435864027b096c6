#include "sandbox/programs/dsl_kernel.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "dsl/lower.h"
#include "npu/chip.h"
#include "sandbox/programs/dsl_module.h"
#include "sandbox/programs/profile_lines.h"

namespace kg::sandbox {
namespace {

dsl::LowerOptions options_for(const proto::ExecutionRequest& request, const proto::RunCase* run_case) {
  dsl::LowerOptions options;
  options.entry_point = request.has_module() ? kModuleOperator : request.entry_point();
  options.want_project = request.has_module();
  std::uint32_t cores = request.block_dim();
  if (run_case != nullptr) {
    if (run_case->block_dim() > 0) cores = run_case->block_dim();
    std::vector<dsl::TensorShape>& tensors = options.bindings.tensors;
    for (const proto::Tensor& tensor : run_case->inputs())
      tensors.push_back({.dtype = tensor.dtype(),
                         .shape = {tensor.shape().begin(), tensor.shape().end()},
                         .name = tensor.name(),
                         .absent = tensor.absent(),
                         .listed = tensor.kind() == proto::DYNAMIC});
    if (request.has_module())
      for (dsl::TensorShape& held : module_state(run_case->call())) tensors.push_back(std::move(held));
    for (const proto::TensorSpec& spec : run_case->outputs())
      tensors.push_back({.dtype = spec.dtype(),
                         .shape = {spec.shape().begin(), spec.shape().end()},
                         .name = spec.name(),
                         .output = true,
                         .absent = spec.absent(),
                         .listed = spec.kind() == proto::DYNAMIC,
                         .in_place_of = spec.in_place_of(),
                         .without_parameter = spec.without_parameter()});
    tensors = dsl::in_pairs(std::move(tensors));
  }
  // A module's task does not say how many cores its operator runs on.
  options.bindings.cores = request.has_module() ? npu::chip::kVectorCores : static_cast<int>(std::max(1u, cores));
  return options;
}

// The place of a lowered program's Ascend C, and the program's line for each of its lines.
struct Origin {
  std::string file;
  const std::vector<int>& lines;

  int program_line(int line) const {
    if (line < 1 || static_cast<std::size_t>(line) > lines.size()) return 0;
    return lines[static_cast<std::size_t>(line) - 1];
  }
};

// "kernel.cpp:31:5: error" of the lowered kernel becomes "kernel.dsl:4: error".
std::string in_program_lines(const Origin& origin, const std::string& messages) {
  const std::string generated = origin.file + ":";
  std::string text;
  for (std::size_t at = 0; at < messages.size();) {
    if (messages.compare(at, generated.size(), generated) != 0) {
      text += messages[at++];
      continue;
    }
    at += generated.size();
    int line = 0;
    while (at < messages.size() && std::isdigit(static_cast<unsigned char>(messages[at])) != 0 && line < 1000000)
      line = line * 10 + (messages[at++] - '0');
    if (at < messages.size() && messages[at] == ':' && at + 1 < messages.size() &&
        std::isdigit(static_cast<unsigned char>(messages[at + 1])) != 0)
      for (++at; at < messages.size() && std::isdigit(static_cast<unsigned char>(messages[at])) != 0;) ++at;
    text += "kernel.dsl:" + std::to_string(origin.program_line(line));
  }
  return text;
}

// A fault of a project's kernel begins with its file.
void place_in_program(const Origin& origin, proto::Fault& fault) {
  const std::string file = origin.file + ": ";
  const bool of_kernel = fault.message().starts_with(file);
  if (of_kernel) fault.set_message(fault.message().substr(file.size()));
  const bool of_other_file = !of_kernel && origin.file.find('/') != std::string::npos;
  fault.set_line(of_other_file ? 0 : origin.program_line(fault.line()));
}

bool same_tensors(const proto::RunCase& a, const proto::RunCase& b) {
  if (a.inputs_size() != b.inputs_size() || a.outputs_size() != b.outputs_size() || a.block_dim() != b.block_dim())
    return false;
  const auto same = [](const auto& x, const auto& y) {
    return x.name() == y.name() && x.dtype() == y.dtype() && x.absent() == y.absent() &&
           std::equal(x.shape().begin(), x.shape().end(), y.shape().begin(), y.shape().end());
  };
  return std::equal(a.inputs().begin(), a.inputs().end(), b.inputs().begin(), same) &&
         std::equal(a.outputs().begin(), a.outputs().end(), b.outputs().begin(), same);
}

proto::ExecutionResult refused(const dsl::Lowered& lowered, const std::string& where) {
  proto::ExecutionResult result;
  result.set_rejected(true);
  result.set_compiled(false);
  result.set_compiler_output("kernel.dsl:" + lowered.refusal.substr(lowered.refusal.starts_with("line ") ? 5 : 0) +
                             where + "\n");
  return result;
}

std::string sizes_of(const proto::RunCase& run_case) {
  std::string text;
  for (const proto::Tensor& tensor : run_case.inputs()) {
    text += (text.empty() ? "" : ", ") + tensor.name() + "[";
    for (int i = 0; i < tensor.shape_size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(tensor.shape(i));
    text += "]";
  }
  return text;
}

const std::string& program_of(const proto::ExecutionRequest& request) {
  return request.has_module() ? request.module().text() : request.source();
}

// The request in Ascend C for the cases that have the tensors of `run_case`; without its cases.
proto::ExecutionRequest in_ascendc(const proto::ExecutionRequest& request, const dsl::Lowered& lowered,
                                   const proto::RunCase* run_case) {
  proto::ExecutionRequest part = request;
  part.set_language(proto::ASCENDC);
  part.clear_cases();
  part.clear_lowered_for();
  if (request.has_module()) {
    part.mutable_module()->set_text(module_answer(lowered, run_case));
    part.mutable_module()->set_operator_name(kModuleOperator);
    return part;
  }
  part.set_source(lowered.source);
  part.set_workspace_bytes(std::max<std::uint64_t>(request.workspace_bytes(), lowered.workspace_bytes));
  if (lowered.blocks > 0) part.set_block_dim(lowered.blocks);  // the launch is part of the program
  return part;
}

}  // namespace

proto::ExecutionResult execute_dsl(
    const proto::ExecutionRequest& request,
    const std::function<proto::ExecutionResult(const proto::ExecutionRequest&)>& execute) {
  for (const proto::RunCase& sizes : request.lowered_for())
    if (const dsl::Lowered lowered = dsl::lower(program_of(request), options_for(request, &sizes)); !lowered.ok)
      return refused(lowered, " (at the task's full size, " + sizes_of(sizes) + ")");
  proto::ExecutionResult whole;
  for (int first = 0; first == 0 || first < request.cases_size();) {
    const proto::RunCase* run_case = request.cases_size() > 0 ? &request.cases(first) : nullptr;
    const dsl::Lowered lowered = dsl::lower(program_of(request), options_for(request, run_case));
    if (!lowered.ok) return refused(lowered, "");
    proto::ExecutionRequest part = in_ascendc(request, lowered, run_case);
    int last = first;
    for (; last < request.cases_size() && same_tensors(request.cases(last), *run_case); ++last) {
      proto::RunCase& added = *part.add_cases();
      added = request.cases(last);
      if (lowered.blocks > 0) added.set_block_dim(0);
    }
    const Origin origin =
        request.has_module() ? Origin{kModuleKernel, lowered.project_lines} : Origin{"kernel.cpp", lowered.lines};
    proto::ExecutionResult result = execute(part);
    if (!result.sandbox_error().empty()) return result;
    const auto to_program = [&](int line) { return origin.program_line(line); };
    for (proto::CaseResult& each : *result.mutable_cases()) {
      for (proto::Fault& fault : *each.mutable_faults()) place_in_program(origin, fault);
      if (each.has_profile()) place_profile(*each.mutable_profile(), to_program);
      if (!each.timeline_json().empty()) each.set_timeline_json(placed_timeline(each.timeline_json(), to_program));
    }
    whole.set_compiled(result.compiled());
    whole.set_rejected(result.rejected());
    whole.set_compiler_output(in_program_lines(origin, result.compiler_output()));
    whole.set_compile_ms(whole.compile_ms() + result.compile_ms());
    whole.set_wall_ms(whole.wall_ms() + result.wall_ms());
    whole.mutable_cases()->MergeFrom(result.cases());
    if (!result.compiled() || result.cases_size() < last - first || last == first) return whole;
    if (result.cases_size() > 0 && !result.cases().rbegin()->ran()) return whole;
    first = last;
  }
  return whole;
}

}  // namespace kg::sandbox
