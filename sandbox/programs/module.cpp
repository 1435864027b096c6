#include "sandbox/programs/module.h"

#include <cctype>
#include <cstring>
#include <optional>

#include "base/error.h"
#include "base/hash.h"
#include "npu/host/host_side.h"
#include "proto/dtype.h"
#include "sandbox/programs/project.h"
#include "sandbox/pytorch/answer_sources.h"
#include "sandbox/pytorch/module_conversation.h"
#include "sandbox/pytorch/module_end.h"

namespace kg::sandbox {
namespace {

constexpr double kStartSeconds = 30;  // start of Python and PyTorch, in addition to the case's own limit
constexpr const char* kBindingObject = "custom_ops_lib.so";

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
  return "project_json_src: error: not a JSON list with one description of an operator, which gives its name as "
         "\"op\"\n";
}

// The operators of a module, as the operator project that they are.
proto::ExecutionRequest operators_of(const proto::ExecutionRequest& asked, const nlohmann::json& texts) {
  proto::ExecutionRequest operators = asked;
  operators.clear_cases();
  operators.clear_module();
  const std::string& name = asked.module().operator_name();
  const auto add_file = [&](const std::string& path, const char* from) {
    proto::ProjectFile& file = *operators.add_project();
    file.set_path(path);
    file.set_content(texts.at(from).get<std::string>());
  };
  add_file("op_host/" + name + "_tiling.h", "host_tiling_src");
  add_file("op_host/" + name + ".cpp", "host_operator_src");
  add_file("op_kernel/" + name + ".cpp", "kernel_src");
  operators.set_entry_point(name);
  return operators;
}

bool compile_binding(Workshop& shop, Request& request, const std::string& source) {
  const std::string key = hash128_hex(shop.modules->key() + "\nbinding\n" + source);
  const CompileOutcome outcome =
      keep_or_compile(shop.binding, shop.compiled, {{key, shop.work.kernel() / kBindingObject}},
                      [&] { return shop.modules->compile_binding(source, request.allowance.owner); });
  request.say(outcome.output);
  return outcome.compiled;
}

// A module whose texts are compiled.
struct CompiledModule {
  AnswerSources answer;
  proto::ExecutionRequest operators;
  Project project;
  OperatorParameters parameters;
  std::string type;
};

// Nothing if it does not compile; then the result has the reason.
std::optional<CompiledModule> compile_module(Workshop& shop, Request& request, const Allowance& python) {
  CompiledModule module{.answer = read_answer(*shop.modules, request.asked.module(), python)};
  if (!module.answer.error.empty()) {
    request.say("the answer's text: error: " + module.answer.error + "\n");
    return std::nullopt;
  }
  const auto text = [&](const char* name) { return module.answer.texts.at(name).get<std::string>(); };
  if (const std::string wrong = wrong_description(text("project_json_src")); !wrong.empty()) {
    request.say(wrong);
    return std::nullopt;
  }
  module.operators = operators_of(request.asked, module.answer.texts);
  try {
    module.project = read_project(module.operators);
  } catch (const Error& error) {
    request.say(error.full_message());
    return std::nullopt;
  }
  if (!compile_host(shop, request, module.project) || !compile_binding(shop, request, text("python_bind_src")))
    return std::nullopt;
  module.parameters = read_parameters(text("host_operator_src"));
  module.type = operator_type(text("host_operator_src"), request.asked.module().operator_name());
  request.result.set_compiled(true);
  return module;
}

// False: nothing more is to be run.
bool run_module_case(Workshop& shop, Request& request, const CompiledModule& module, const Allowance& python,
                     const proto::RunCase& run_case) {
  proto::ExecutionResult& result = request.result;
  ModuleConversation conversation(module.parameters, module.type, [&](const proto::RunCase& command) {
    proto::ExecutionResult launched;
    Request launch{.asked = module.operators, .allowance = request.allowance, .result = launched};
    run_project_case(shop, launch, module.project, command);
    return launched;
  });
  std::vector<const proto::Tensor*> inputs;
  std::uint64_t bytes = 0;
  for (const proto::Tensor& input : run_case.inputs()) {
    inputs.push_back(&input);
    bytes += input.data().size();
  }
  for (const proto::TensorSpec& output : run_case.outputs()) bytes += proto::byte_size(output);
  const JobOutcome outcome = shop.modules->run(
      encode_message({{"do", "run"}, {"text", request.asked.module().text()}, {"call", run_case.call()}}, inputs),
      python, bytes, [&](std::string&& frame) { return conversation.answer(std::move(frame)); });
  if (!conversation.sandbox_error.empty()) {
    result.set_sandbox_error(conversation.sandbox_error);
    return false;
  }
  if (!conversation.compiles) {
    result.set_compiled(false);
    request.say(conversation.compiler_output);
    return false;
  }
  require_host_did_its_part(outcome);
  proto::CaseResult& made = *result.add_cases();
  made = std::move(conversation.result);
  made.set_output(outcome.output);
  made.set_output_truncated(outcome.output_truncated);
  made.set_wall_ms(outcome.wall_ms);
  if (!conversation.has_result && !conversation.kernel_failed)
    add_module_fault(made, outcome.timed_out ? proto::FaultClass::kLimit : proto::FaultClass::kModule,
                     conversation.error.empty() ? "the module: " + end_of(outcome) : conversation.error);
  for (const std::string& refused : module.answer.refused)
    add_module_fault(made, proto::FaultClass::kModule, "refused by the benchmark's rules: " + refused);
  return made.ran();
}

}  // namespace

void run_module(Workshop& shop, Request& request, const std::string& python) {
  if (!shop.modules) shop.modules = std::make_unique<ModuleHost>(shop.isolation, shop.work, shop.cache, python);
  Allowance with_start = request.allowance;
  with_start.limits.set_run_seconds(request.limits().run_seconds() + kStartSeconds);
  const std::optional<CompiledModule> module = compile_module(shop, request, with_start);
  if (!module) return;
  for (const proto::RunCase& run_case : request.asked.cases())
    if (!run_module_case(shop, request, *module, with_start, run_case)) return;
}

}  // namespace kg::sandbox
