#pragma once

#include <functional>

#include "proto/sandbox.pb.h"

namespace kg::sandbox {

// Executes a request in the DSL: lowers its program for the tensors of its cases, has the Ascend C executed, and maps
// the lines of faults and compiler messages back to the program's lines. Cases whose tensors have other shapes are
// lowered and compiled separately. A program that cannot be lowered, for its cases or for the request's other sizes, is
// rejected with the reason. If the answer must be a PyTorch module, the program becomes one (dsl_module.h).
proto::ExecutionResult execute_dsl(
    const proto::ExecutionRequest& request,
    const std::function<proto::ExecutionResult(const proto::ExecutionRequest&)>& execute);

}  // namespace kg::sandbox
