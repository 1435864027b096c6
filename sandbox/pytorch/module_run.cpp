#include <sys/wait.h>

#include <cctype>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "npu/host/host_side.h"
#include "proto/dtype.h"
#include "proto/fault.h"
#include "sandbox/limits.h"
#include "sandbox/pytorch/command.h"
#include "sandbox/server.h"

// An answer that is a PyTorch module. Its Python says what it wants computed; the operators run on the other side of
// the pipe, as those of any operator project, and its process never holds anything but the present case's inputs.

namespace kg::sandbox {
namespace {

constexpr double kStartSeconds = 30;  // of Python and PyTorch, beside the case's own limit
constexpr int kMostFaults = 100;      // of one case
constexpr int kMostCommands = 10000;
constexpr const char* kSources[] = {"project_json_src", "host_tiling_src", "host_operator_src",
                                    "kernel_src",       "python_bind_src", "model_src"};

struct Answer {
  nlohmann::json sources;
  std::vector<std::string> refused;  // what the rules say of it
  std::string error;                 // not empty: it is none
};

void add_fault(proto::CaseResult& result, const char* fault_class, const std::string& message) {
  if (result.faults_size() >= kMostFaults) return;
  proto::add_fault(result, fault_class, message);
}

// Throws Error if the sandbox or the host is to blame.
void require_host_did_its_part(const JobOutcome& outcome) {
  const auto fault = [](const std::string& what) {
    return Error(what, "pytorch module", "run kgtrain doctor", Error::Kind::kEnvironment);
  };
  if (outcome.owner_gone) throw fault("the caller has gone");
  if (!outcome.cell_lost.empty()) throw fault("the cell of modules was lost: " + outcome.cell_lost);
  if (outcome.end.start_error != 0)
    throw fault(std::string("cannot start Python in the cell: ") + std::strerror(outcome.end.start_error));
  if (outcome.host_was_busy) throw fault(outcome.starved("the module"));
}

// Why a process did not say what it was asked for.
std::string end_of(const JobOutcome& outcome) {
  const std::string said = outcome.output.empty() ? "" : "; it printed: " + outcome.output.substr(0, 2000);
  if (outcome.timed_out) return "it was stopped at its time limit" + said;
  if (outcome.result_too_large) return "it sent more than its tensors can be" + said;
  if (WIFSIGNALED(outcome.end.wait_status))
    return "it was ended by signal " + std::to_string(WTERMSIG(outcome.end.wait_status)) +
           " (out of memory, or a crash in its binding)" + said;
  return "its process ended early" + said;
}

std::string operator_type(const std::string& host_source, const std::string& wanted) {
  std::string found;
  for (std::size_t at = host_source.find("OP_ADD("); at != std::string::npos;
       at = host_source.find("OP_ADD(", at + 1)) {
    const std::size_t begin = at + std::strlen("OP_ADD("), end = host_source.find(')', begin);
    std::string type = host_source.substr(begin, end == std::string::npos ? 0 : end - begin);
    while (!type.empty() && std::isspace(static_cast<unsigned char>(type.back())) != 0) type.pop_back();
    while (!type.empty() && std::isspace(static_cast<unsigned char>(type.front())) != 0) type.erase(0, 1);
    if (found.empty() || npu::snake_case(type) == wanted) found = type;
  }
  return found;
}

// msopgen makes a project of this text, or none.
std::string wrong_description(const std::string& text) {
  const auto parsed = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false, /*ignore_comments=*/false);
  const nlohmann::json& first = parsed.is_array() && !parsed.empty() ? parsed[0] : parsed;
  if (first.is_object() && first.contains("op") && first["op"].is_string()) return {};
  return "project_json_src: error: no JSON list of an operator's description with its name as \"op\"\n";
}

// What happens while a module runs.
class ModuleConversation {
 public:
  using Launch = std::function<proto::ExecutionResult(const proto::RunCase&)>;
  ModuleConversation(const OperatorParameters& parameters, std::string type, Launch launch)
      : parameters_(parameters), type_(std::move(type)), launch_(std::move(launch)) {}

  std::string operator()(std::string&& frame) {
    try {
      ModuleMessage message = decode_message(std::exchange(frame, {}));
      if (message.header.contains("command") && !ended) return command(std::move(message));
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

  proto::CaseResult result;
  std::string error, sandbox_error, compiler_output;
  bool ended = false;          // nothing more is listened to
  bool compiles = true;        // the kernel does
  bool has_result = false;     // the module came to its end
  bool kernel_failed = false;  // and its faults say why

 private:
  std::string fail(const std::string& why) {
    ended = true;
    return encode_message({{"error", why}}, {});
  }

  std::string command(ModuleMessage&& message) {
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
    proto::ExecutionResult launched = launch_(made.run_case);
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
    if (!one.ran() || one.outputs_size() != static_cast<int>(made.written.size())) {
      kernel_failed = true;
      return fail("the operator did not run to its end");
    }
    std::vector<const proto::Tensor*> outputs;
    for (const proto::Tensor& output : one.outputs()) outputs.push_back(&output);
    return encode_message({{"outputs", made.written}}, outputs);
  }

  void take_result(ModuleMessage&& message) {
    has_result = true;
    result.set_ran(true);
    result.set_result_form(message.header["result"].dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    for (proto::Tensor& tensor : message.tensors) result.add_outputs()->Swap(&tensor);
    if (commands_ == 0) add_fault(result, "module", "the module launches no operator: it does not compute by a kernel");
    std::string computed;
    for (const auto& name : message.header.value("computed", nlohmann::json::array()))
      if (name.is_string()) computed += (computed.empty() ? "" : ", ") + name.get<std::string>();
    if (!computed.empty())
      add_fault(result, "module",
                "the module computes by PyTorch's own operators: " + computed + "; that is the kernel's part");
  }

  const OperatorParameters& parameters_;
  std::string type_;
  Launch launch_;
  int commands_ = 0;
};

Answer unpack(ModuleHost& modules, const proto::ModuleAnswer& given, const proto::ResourceLimits& limits, int owner) {
  Answer answer;
  bool rules_said = false;
  const auto outcome =
      modules.run(encode_message({{"do", "unpack"}, {"text", given.text()}, {"rules", given.rules()}}, {}), limits, 0,
                  owner, [&](std::string&& frame) {
                    try {
                      const ModuleMessage message = decode_message(frame);
                      // The first message was written before the text ran.
                      if (!rules_said && message.header.contains("rules")) {
                        for (const auto& one : message.header["rules"])
                          if (one.is_string() && answer.refused.size() < 20)
                            answer.refused.push_back(one.get<std::string>());
                      } else if (message.header.contains("sources")) {
                        answer.sources = message.header["sources"];
                      } else if (answer.error.empty()) {
                        answer.error = text_of(message, "error");
                      }
                      rules_said = true;
                    } catch (const Error& error) {
                      answer.error = error.full_message();
                    }
                    return std::string();
                  });
  require_host_did_its_part(outcome);
  bool whole = answer.sources.is_object();
  for (const char* name : kSources) whole = whole && answer.sources.contains(name) && answer.sources[name].is_string();
  if (!whole && answer.error.empty()) answer.error = end_of(outcome);
  if (whole) answer.error.clear();
  return answer;
}

}  // namespace

bool Server::compile_binding(const std::string& source, const proto::ResourceLimits& limits, int owner,
                             proto::ExecutionResult& result) {
  const std::string key = hash128_hex(modules_->key() + "\nbinding\n" + source);
  if (present_binding_.key == key) return true;
  present_binding_ = {};
  const fs::path library = work_->kernel() / "custom_ops_lib.so";
  CompileOutcome outcome;
  outcome.compiled = kernels_->fetch(key, library, outcome.output);
  if (!outcome.compiled) {
    outcome = modules_->compile_binding(source, limits, owner);
    if (outcome.compiled) kernels_->store(key, library, outcome.output);
  }
  if (outcome.compiled) present_binding_ = {key, outcome.output};
  result.set_compiler_output(result.compiler_output() + outcome.output);
  return outcome.compiled;
}

void Server::run_module(const proto::ExecutionRequest& request, const proto::ResourceLimits& given, int owner,
                        proto::ExecutionResult& result) {
  if (!modules_) {
    const Isolation isolation = find_isolation(options_.allow_less_isolation);
    const fs::path cache = options_.cache_folder.empty() ? kgtrain_home() / "cache" : fs::path(options_.cache_folder);
    modules_ = std::make_unique<ModuleHost>(isolation, *work_, cache, options_.python);
  }
  proto::ResourceLimits limits = given;
  limits.set_run_seconds(given.run_seconds() + kStartSeconds);
  const Answer answer = unpack(*modules_, request.module(), limits, owner);
  if (!answer.error.empty()) {
    result.set_compiler_output("the answer's text: error: " + answer.error + "\n");
    return;
  }
  const auto source = [&](const char* name) { return answer.sources.at(name).get<std::string>(); };
  if (const std::string wrong = wrong_description(source("project_json_src")); !wrong.empty()) {
    result.set_compiler_output(wrong);
    return;
  }
  proto::ExecutionRequest operators = request;
  operators.clear_cases();
  operators.clear_module();
  const std::string& name = request.module().operator_name();
  const auto add_file = [&](const std::string& path, const char* from) {
    proto::ProjectFile& file = *operators.add_project();
    file.set_path(path);
    file.set_content(source(from));
  };
  add_file("op_host/" + name + "_tiling.h", "host_tiling_src");
  add_file("op_host/" + name + ".cpp", "host_operator_src");
  add_file("op_kernel/" + name + ".cpp", "kernel_src");
  operators.set_entry_point(name);
  Project project;
  try {
    project = read_project(operators);
  } catch (const Error& error) {
    result.set_compiler_output(error.full_message());
    return;
  }
  present_ = {};
  if (!compile_host(project, given, owner, result)) return;
  if (!compile_binding(source("python_bind_src"), given, owner, result)) return;
  const OperatorParameters parameters = read_parameters(source("host_operator_src"));
  const std::string type = operator_type(source("host_operator_src"), name);
  result.set_compiled(true);
  for (const proto::RunCase& run_case : request.cases()) {
    ModuleConversation conversation(parameters, type, [&](const proto::RunCase& command) {
      proto::ExecutionResult launched;
      run_project_case(operators, project, command, given, owner, launched);
      return launched;
    });
    std::vector<const proto::Tensor*> inputs;
    std::uint64_t bytes = 0;
    for (const proto::Tensor& input : run_case.inputs()) {
      inputs.push_back(&input);
      bytes += input.data().size();
    }
    for (const proto::TensorSpec& output : run_case.outputs()) bytes += proto::byte_size(output);
    const JobOutcome outcome = modules_->run(
        encode_message({{"do", "run"}, {"text", request.module().text()}, {"call", run_case.call()}}, inputs), limits,
        bytes, owner, [&](std::string&& message) { return conversation(std::move(message)); });
    if (!conversation.sandbox_error.empty()) {
      result.set_sandbox_error(conversation.sandbox_error);
      return;
    }
    if (!conversation.compiles) {
      result.set_compiled(false);
      result.set_compiler_output(result.compiler_output() + conversation.compiler_output);
      return;
    }
    require_host_did_its_part(outcome);
    proto::CaseResult& made = *result.add_cases();
    made = std::move(conversation.result);
    made.set_output(outcome.output);
    made.set_output_truncated(outcome.output_truncated);
    made.set_wall_ms(outcome.wall_ms);
    if (!conversation.has_result && !conversation.kernel_failed)
      add_fault(made, outcome.timed_out ? "limit" : "module",
                conversation.error.empty() ? "the module: " + end_of(outcome) : conversation.error);
    for (const std::string& refused : answer.refused)
      add_fault(made, "module", "refused by the benchmark's rules: " + refused);
    if (!made.ran()) return;
  }
}

}  // namespace kg::sandbox
