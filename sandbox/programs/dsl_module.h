#pragma once

#include <string>
#include <vector>

#include "dsl/lower.h"
#include "proto/sandbox.pb.h"

namespace kg::sandbox {

// A program in the DSL as an answer in the form of a PyTorch module (docs/guide/pytorch-modules.md): six texts around
// its operator project. The binding is the same for all programs, so it is compiled only once.
inline constexpr const char* kModuleOperator = "custom_op";
inline constexpr const char* kModuleKernel = "op_kernel/custom_op.cpp";

// Parameters and buffers of the module, which its task's `call` (TaskCase.call) lists as "state"; a program may omit
// them.
std::vector<dsl::TensorShape> module_state(const std::string& call);

// `lowered` holds the project for the case's tensors: inputs, the module's state, outputs.
std::string module_answer(const dsl::Lowered& lowered, const proto::RunCase* run_case);

}  // namespace kg::sandbox
