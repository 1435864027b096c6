#pragma once

#include <string>
#include <vector>

#include "sandbox/pytorch/message.h"

namespace kg::sandbox {

// An operator's parameters, as its definition (OpDef) lists them.
struct OperatorParameters {
  struct Parameter {
    std::string name;
    std::string type;  // type of an attribute: Int, Float, Bool, String, ListInt, ...
    proto::ParamKind kind = proto::REQUIRED;
  };
  std::vector<Parameter> inputs, outputs, attributes;
};
OperatorParameters read_parameters(const std::string& host_source);

// One EXEC_NPU_CMD: its arguments are inputs, attributes, outputs in the definition's order; an output with an input's
// name is written in place and is not an argument.
struct Command {
  proto::RunCase run_case;
  std::vector<int> written;  // for each output of the case: index of the message's tensor that receives it
};
// Throws Error if the arguments do not match.
Command command_of(const OperatorParameters& parameters, ModuleMessage&& message);

}  // namespace kg::sandbox
