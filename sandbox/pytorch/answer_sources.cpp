#include "sandbox/pytorch/answer_sources.h"

#include "base/error.h"
#include "sandbox/pytorch/message.h"
#include "sandbox/pytorch/module_end.h"

namespace kg::sandbox {
namespace {

constexpr const char* kSources[] = {"project_json_src", "host_tiling_src", "host_operator_src",
                                    "kernel_src",       "python_bind_src", "model_src"};
constexpr std::size_t kMostRefused = 20;

// Receives the process's messages. The first one was sent before the text ran, so only that one is trusted about
// the rules.
void take(const ModuleMessage& message, bool is_first, AnswerSources& answer) {
  if (is_first && message.header.contains("rules")) {
    for (const auto& one : message.header["rules"])
      if (one.is_string() && answer.refused.size() < kMostRefused) answer.refused.push_back(one.get<std::string>());
  } else if (message.header.contains("sources")) {
    answer.texts = message.header["sources"];
  } else if (answer.error.empty()) {
    answer.error = text_of(message, "error");
  }
}

}  // namespace

AnswerSources read_answer(ModuleHost& modules, const proto::ModuleAnswer& given, const Allowance& allowance) {
  AnswerSources answer;
  bool is_first = true;
  const auto listen = [&](std::string&& frame) {
    try {
      take(decode_message(frame), is_first, answer);
      is_first = false;
    } catch (const Error& error) {
      answer.error = error.full_message();
    }
    return std::string();
  };
  const std::string first = encode_message({{"do", "unpack"}, {"text", given.text()}, {"rules", given.rules()}}, {});
  const JobOutcome outcome = modules.run(first, allowance, /*tensor_bytes=*/0, listen);
  require_host_did_its_part(outcome);
  bool whole = answer.texts.is_object();
  for (const char* name : kSources) whole = whole && answer.texts.contains(name) && answer.texts[name].is_string();
  if (!whole && answer.error.empty()) answer.error = end_of(outcome);
  if (whole) answer.error.clear();
  return answer;
}

}  // namespace kg::sandbox
