#include "sandbox/pytorch/module_conversation.h"

#include <utility>
#include <vector>

#include "base/error.h"
#include "proto/fault.h"

namespace kg::sandbox {
namespace {

constexpr int kMostFaults = 100;  // limit for one case
constexpr int kMostCommands = 10000;

std::string names_in(const ModuleMessage& message, const char* field) {
  std::string names;
  for (const auto& name : message.header.value(field, nlohmann::json::array()))
    if (name.is_string()) names += (names.empty() ? "" : ", ") + name.get<std::string>();
  return names;
}

}  // namespace

void add_module_fault(proto::CaseResult& result, proto::FaultClass fault_class, const std::string& message) {
  if (result.faults_size() >= kMostFaults) return;
  proto::add_fault(result, fault_class, message);
}

ModuleConversation::ModuleConversation(const OperatorParameters& parameters, std::string type, Launch launch)
    : parameters_(parameters), type_(std::move(type)), launch_(std::move(launch)) {}

std::string ModuleConversation::answer(std::string&& frame) {
  try {
    ModuleMessage message = decode_message(std::exchange(frame, {}));
    if (message.header.contains("command") && !ended) return run_command(std::move(message));
    if (message.header.contains("result") && !ended)
      take_result(std::move(message));
    else if (!text_of(message, "error").empty() && error.empty())
      error = text_of(message, "error");
    ended = true;
  } catch (const Error& wrong) {
    error = wrong.full_message();
    ended = true;
  }
  return {};
}

std::string ModuleConversation::fail(const std::string& why) {
  ended = true;
  return encode_message({{"error", why}}, {});
}

std::string ModuleConversation::run_command(ModuleMessage&& message) {
  const std::string name = text_of(message, "command");
  if (name != "aclnn" + type_) {
    error = "EXEC_NPU_CMD(" + name + ", ...): the answer's operator is aclnn" + type_;
    return fail(error);
  }
  if (++commands_ > kMostCommands) {
    error = "the module launches more than " + std::to_string(kMostCommands) + " operators";
    return fail(error);
  }
  Command made;
  try {
    made = command_of(parameters_, std::move(message));
  } catch (const Error& wrong) {
    error = wrong.full_message();
    return fail(error);
  }
  return take_outcome(launch_(made.run_case), made);
}

std::string ModuleConversation::take_outcome(proto::ExecutionResult&& launched, const Command& command) {
  if (!launched.sandbox_error().empty()) {
    sandbox_error = launched.sandbox_error();
    return fail("the sandbox failed");
  }
  if (!launched.compiled() || launched.cases().empty()) {
    compiles = false;
    compiler_output = launched.compiler_output();
    return fail("the kernel does not compile");
  }
  proto::CaseResult& one = *launched.mutable_cases(0);
  for (const proto::Fault& fault : one.faults())
    if (result.faults_size() < kMostFaults) *result.add_faults() = fault;
  result.set_cycles(result.cycles() + one.cycles());
  result.set_bytes_read(result.bytes_read() + one.bytes_read());
  result.set_bytes_written(result.bytes_written() + one.bytes_written());
  if (result.timeline_json().empty()) result.set_timeline_json(one.timeline_json());
  if (!one.ran() || one.outputs_size() != static_cast<int>(command.written.size())) {
    kernel_failed = true;
    return fail("the operator did not run to its end");
  }
  std::vector<const proto::Tensor*> outputs;
  for (const proto::Tensor& output : one.outputs()) outputs.push_back(&output);
  return encode_message({{"outputs", command.written}}, outputs);
}

void ModuleConversation::take_result(ModuleMessage&& message) {
  has_result = true;
  result.set_ran(true);
  result.set_result_form(message.header["result"].dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  for (proto::Tensor& tensor : message.tensors) result.add_outputs()->Swap(&tensor);
  if (commands_ == 0)
    add_module_fault(result, proto::FaultClass::kModule,
                     "the module launches no operator, so no kernel computes its outputs");
  if (const std::string computed = names_in(message, "computed"); !computed.empty())
    add_module_fault(result, proto::FaultClass::kModule,
                     "the module computes with PyTorch's own operators: " + computed + "; that is the kernel's part");
  if (const std::string taken = names_in(message, "taken"); !taken.empty())
    add_module_fault(
        result, proto::FaultClass::kModule,
        "the module takes numbers out of its tensors: " + taken + "; computing with them is the kernel's part");
}

}  // namespace kg::sandbox
