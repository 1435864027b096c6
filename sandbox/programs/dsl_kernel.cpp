#include "sandbox/programs/dsl_kernel.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/lower.h"

namespace kg::sandbox {
namespace {

constexpr std::string_view kGenerated = "kernel.cpp:";

dsl::LowerOptions options_for(const proto::ExecutionRequest& request, const proto::RunCase* run_case) {
  dsl::LowerOptions options;
  options.entry_point = request.entry_point();
  std::uint32_t cores = request.block_dim();
  if (run_case != nullptr) {
    if (run_case->block_dim() > 0) cores = run_case->block_dim();
    for (const proto::Tensor& tensor : run_case->inputs())
      options.bindings.tensors.push_back({tensor.dtype(), {tensor.shape().begin(), tensor.shape().end()}});
    for (const proto::TensorSpec& spec : run_case->outputs())
      if (!spec.without_parameter())
        options.bindings.tensors.push_back({spec.dtype(), {spec.shape().begin(), spec.shape().end()}});
  }
  options.bindings.cores = static_cast<int>(std::max(1u, cores));
  return options;
}

int program_line(const dsl::Lowered& lowered, int line) {
  if (line < 1 || static_cast<std::size_t>(line) > lowered.lines.size()) return 0;
  return lowered.lines[static_cast<std::size_t>(line) - 1];
}

// "kernel.cpp:31:5: error" of the lowered kernel becomes "kernel.dsl:4: error".
std::string in_program_lines(const dsl::Lowered& lowered, const std::string& messages) {
  std::string text;
  for (std::size_t at = 0; at < messages.size();) {
    if (messages.compare(at, kGenerated.size(), kGenerated) != 0) {
      text += messages[at++];
      continue;
    }
    at += kGenerated.size();
    int line = 0;
    while (at < messages.size() && std::isdigit(static_cast<unsigned char>(messages[at])) != 0 && line < 1000000)
      line = line * 10 + (messages[at++] - '0');
    if (at < messages.size() && messages[at] == ':' && at + 1 < messages.size() &&
        std::isdigit(static_cast<unsigned char>(messages[at + 1])) != 0)
      for (++at; at < messages.size() && std::isdigit(static_cast<unsigned char>(messages[at])) != 0;) ++at;
    text += "kernel.dsl:" + std::to_string(program_line(lowered, line));
  }
  return text;
}

bool same_tensors(const proto::RunCase& a, const proto::RunCase& b) {
  if (a.inputs_size() != b.inputs_size() || a.outputs_size() != b.outputs_size() || a.block_dim() != b.block_dim())
    return false;
  const auto same = [](const auto& x, const auto& y) {
    return x.dtype() == y.dtype() && std::equal(x.shape().begin(), x.shape().end(), y.shape().begin(), y.shape().end());
  };
  return std::equal(a.inputs().begin(), a.inputs().end(), b.inputs().begin(), same) &&
         std::equal(a.outputs().begin(), a.outputs().end(), b.outputs().begin(), same);
}

}  // namespace

proto::ExecutionResult execute_dsl(
    const proto::ExecutionRequest& request,
    const std::function<proto::ExecutionResult(const proto::ExecutionRequest&)>& execute) {
  proto::ExecutionResult whole;
  for (int first = 0; first == 0 || first < request.cases_size();) {
    const proto::RunCase* run_case = request.cases_size() > 0 ? &request.cases(first) : nullptr;
    const dsl::Lowered lowered = dsl::lower(request.source(), options_for(request, run_case));
    if (!lowered.ok) {
      whole.set_rejected(true);
      whole.set_compiled(false);
      whole.set_compiler_output("kernel.dsl:" + lowered.refusal.substr(lowered.refusal.starts_with("line ") ? 5 : 0) +
                                "\n");
      return whole;
    }
    proto::ExecutionRequest part = request;
    part.set_language(proto::ASCENDC);
    part.set_source(lowered.source);
    part.set_workspace_bytes(std::max<std::uint64_t>(request.workspace_bytes(), lowered.workspace_bytes));
    part.clear_cases();
    int last = first;
    for (; last < request.cases_size() && same_tensors(request.cases(last), *run_case); ++last)
      *part.add_cases() = request.cases(last);
    if (lowered.blocks > 0) {  // the launch is part of the program
      part.set_block_dim(lowered.blocks);
      for (proto::RunCase& each : *part.mutable_cases()) each.set_block_dim(0);
    }
    proto::ExecutionResult result = execute(part);
    if (!result.sandbox_error().empty()) return result;
    for (proto::CaseResult& each : *result.mutable_cases())
      for (proto::Fault& fault : *each.mutable_faults()) fault.set_line(program_line(lowered, fault.line()));
    whole.set_compiled(result.compiled());
    whole.set_rejected(result.rejected());
    whole.set_compiler_output(in_program_lines(lowered, result.compiler_output()));
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
