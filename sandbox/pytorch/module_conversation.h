#pragma once

#include <functional>
#include <string>

#include "proto/fault_class.h"
#include "proto/sandbox.pb.h"
#include "sandbox/pytorch/command.h"
#include "sandbox/pytorch/message.h"

namespace kg::sandbox {

// The conversation while a module runs one case: its commands are launched by `launch`, its result is recorded. The
// other side is untrusted.
class ModuleConversation {
 public:
  using Launch = std::function<proto::ExecutionResult(const proto::RunCase&)>;
  // `type`: the operator that the answer defines, the only one it may launch.
  ModuleConversation(const OperatorParameters& parameters, std::string type, Launch launch);

  // Takes a frame and returns the answer, or nothing.
  std::string answer(std::string&& frame);

  proto::CaseResult result;
  std::string error, sandbox_error, compiler_output;
  bool ended = false;          // further frames are ignored
  bool compiles = true;        // the kernel compiles
  bool has_result = false;     // the module finished
  bool kernel_failed = false;  // the kernel failed, and its faults say why

 private:
  std::string fail(const std::string& why);
  std::string run_command(ModuleMessage&& message);
  std::string take_outcome(proto::ExecutionResult&& launched, const Command& command);
  void take_result(ModuleMessage&& message);

  const OperatorParameters& parameters_;
  std::string type_;
  Launch launch_;
  int commands_ = 0;
};

// Adds a fault to a module's case, up to a limit.
void add_module_fault(proto::CaseResult& result, proto::FaultClass fault_class, const std::string& message);

}  // namespace kg::sandbox
