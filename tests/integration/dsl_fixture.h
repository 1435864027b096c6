#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "dsl/check.h"
#include "dsl/interpreter.h"
#include "dsl/lower.h"
#include "dsl/parser.h"
#include "operators/number_format.h"
#include "proto/dtype.h"
#include "sandbox/sandbox.h"

// Runs programs in the DSL through the real sandbox: lowered, compiled by clang, executed on the emulated NPU.
namespace kg::dsl::testing {

struct In {
  proto::DType dtype = proto::FLOAT32;
  std::vector<std::int64_t> shape;
  Values values;
  std::string list = {};  // the name of the list that it belongs to
};
struct Out {
  proto::DType dtype = proto::FLOAT32;
  std::vector<std::int64_t> shape;
  std::string list = {};
  std::string in_place_of = {};  // "in1", ... or a list: the kernel has no parameter for it
};

inline std::int64_t elements_of(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

// Numbers between low and high that look random and are the same everywhere.
inline Values numbers(std::int64_t count, double low, double high, std::uint64_t seed) {
  Values values(static_cast<std::size_t>(count));
  std::uint64_t state = seed * 0x9E3779B97F4A7C15ULL + 1;
  for (double& value : values) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    value = low + (high - low) * static_cast<double>(state >> 40) / static_cast<double>(1 << 24);
  }
  return values;
}

inline sandbox::Sandbox& shared_sandbox() {
  static const TemporaryFolder cache("kg-dsl-test");
  static const std::unique_ptr<sandbox::Sandbox> sandbox = [] {
    sandbox::SandboxOptions options;
    options.program = std::string(KG_BINARY_DIR) + "/bin/kgtrain-sandbox";
    const char* less = std::getenv("KGTRAIN_ALLOW_LESS_ISOLATION");
    options.allow_less_isolation = less != nullptr && std::string(less) == "1";
    return sandbox::start_sandbox(options);
  }();
  return *sandbox;
}

inline proto::ExecutionRequest request_for(const std::string& source, const std::vector<In>& inputs,
                                           const std::vector<Out>& outputs, int cores,
                                           proto::SourceLanguage language = proto::DSL) {
  proto::ExecutionRequest request;
  request.set_source(source);
  request.set_language(language);
  request.set_entry_point("custom_op");
  request.set_block_dim(static_cast<std::uint32_t>(cores));
  request.mutable_limits()->set_run_seconds(120);
  request.mutable_limits()->set_compile_seconds(60);
  proto::RunCase& one = *request.add_cases();
  for (const In& in : inputs) {
    proto::Tensor& tensor = *one.add_inputs();
    tensor.set_name(in.list.empty() ? "in" + std::to_string(one.inputs_size()) : in.list);
    if (!in.list.empty()) tensor.set_kind(proto::DYNAMIC);
    tensor.set_dtype(in.dtype);
    for (const std::int64_t extent : in.shape) tensor.add_shape(extent);
    tensor.mutable_data()->resize(in.values.size() * proto::element_size(in.dtype));
    for (std::size_t i = 0; i < in.values.size(); ++i)
      operators::write_element(in.dtype, tensor.mutable_data()->data(), i, in.values[i]);
  }
  for (const Out& out : outputs) {
    proto::TensorSpec& spec = *one.add_outputs();
    spec.set_name(out.list.empty() ? "out" + std::to_string(one.outputs_size()) : out.list);
    if (!out.list.empty()) spec.set_kind(proto::DYNAMIC);
    spec.set_in_place_of(out.in_place_of);
    spec.set_without_parameter(!out.in_place_of.empty());
    spec.set_dtype(out.dtype);
    for (const std::int64_t extent : out.shape) spec.add_shape(extent);
  }
  return request;
}

inline std::string errors_of(const proto::ExecutionResult& result) {
  std::string text = result.sandbox_error();
  if (!result.compiled()) text += result.compiler_output();
  for (const proto::CaseResult& one : result.cases())
    for (const proto::Fault& fault : one.faults())
      if (fault.severity() == proto::ERROR)
        text += "line " + std::to_string(fault.line()) + " [" + fault.fault_class() + "] " + fault.message() + "\n";
  if (result.compiled() && (result.cases_size() == 0 || !result.cases(0).ran())) text += "did not run\n";
  return text;
}

inline Values values_of(const proto::Tensor& tensor) {
  Values values(static_cast<std::size_t>(proto::element_count(tensor.shape())));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = operators::read_element(tensor.dtype(), tensor.data().data(), i);
  return values;
}

// The first element that differs by more than absolute + relative x |wanted|; empty if none does.
inline std::string difference(const Values& found, const Values& wanted, double absolute, double relative) {
  if (found.size() != wanted.size())
    return std::to_string(found.size()) + " elements instead of " + std::to_string(wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool equal = std::isnan(wanted[i]) ? std::isnan(found[i])
                                             : found[i] == wanted[i] || std::abs(found[i] - wanted[i]) <=
                                                                            absolute + relative * std::abs(wanted[i]);
    if (!equal)
      return "element " + std::to_string(i) + ": found " + std::to_string(found[i]) + ", wanted " +
             std::to_string(wanted[i]);
  }
  return "";
}

inline Bindings bindings_for(const std::vector<In>& inputs, const std::vector<Out>& outputs, int cores) {
  Bindings bindings;
  bindings.cores = cores;
  for (const In& in : inputs)
    bindings.tensors.push_back({.dtype = in.dtype,
                                .shape = in.shape,
                                .name = in.list.empty() ? "in" + std::to_string(bindings.tensors.size() + 1) : in.list,
                                .listed = !in.list.empty()});
  for (const Out& out : outputs)
    bindings.tensors.push_back(
        {.dtype = out.dtype,
         .shape = out.shape,
         .name = out.list.empty() ? "out" + std::to_string(bindings.tensors.size() + 1 - inputs.size()) : out.list,
         .output = true,
         .listed = !out.list.empty(),
         .in_place_of = out.in_place_of,
         .without_parameter = !out.in_place_of.empty()});
  return bindings;
}

inline Lowered lowered_of(const std::string& source, const std::vector<In>& inputs, const std::vector<Out>& outputs,
                          int cores, bool compact = false) {
  LowerOptions options;
  options.bindings = bindings_for(inputs, outputs, cores);
  options.entry_point = "custom_op";
  options.compact = compact;
  return lower(source, options);
}

inline std::string lowered_text(const std::string& source, const std::vector<In>& inputs,
                                const std::vector<Out>& outputs, int cores, bool compact = false) {
  const Lowered lowered = lowered_of(source, inputs, outputs, cores, compact);
  return lowered.ok ? lowered.source : lowered.refusal;
}

// The compact form of a program, as Ascend C.
inline proto::ExecutionRequest compact_request(const Lowered& compact, const std::vector<In>& inputs,
                                               const std::vector<Out>& outputs, int cores) {
  const int blocks = compact.blocks > 0 ? static_cast<int>(compact.blocks) : cores;
  auto request = request_for(compact.source, inputs, outputs, blocks, proto::ASCENDC);
  request.set_workspace_bytes(compact.workspace_bytes);
  return request;
}

}  // namespace kg::dsl::testing
