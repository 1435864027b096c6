#include "policy/chat_template.h"

#include "base/error.h"

namespace kg::policy {
namespace {

// The ChatML templates differ only in what they do about a system prompt: nothing, or (SmolLM2, Qwen) a default one
// between these texts.
const std::string kDefaultBegin =
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\n";
const std::string kDefaultEnd = "<|im_end|>\n' }}{% endif %}";
const std::string kPlainBegin = "{% for message in messages %}";
const std::string kTurns =
    "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

// Templates write a line break in a literal either as itself or as \n.
std::string with_line_breaks(const std::string& jinja) {
  std::string text;
  for (std::size_t i = 0; i < jinja.size(); ++i) {
    const bool escaped = jinja[i] == '\\' && i + 1 < jinja.size() && jinja[i + 1] == 'n';
    text += escaped ? '\n' : jinja[i];
    i += escaped;
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string family_of(const std::string& jinja) {
  const auto has = [&](const char* mark) { return jinja.find(mark) != std::string::npos; };
  if (has("<|start_header_id|>")) return "Llama 3";
  if (has("[INST]")) return "Llama 2 or Mistral";
  if (has("<start_of_turn>")) return "Gemma";
  if (has("<|im_start|>")) return "ChatML with additions (tools, reasoning)";
  if (has("<|user|>")) return "Phi or Zephyr";
  return "unknown";
}

}  // namespace

ChatTemplate ChatTemplate::from_jinja(const std::string& jinja) {
  ChatTemplate result;
  result.jinja_ = jinja;
  if (jinja.empty()) return result;  // a base model: refused when a prompt is rendered
  const std::string text = with_line_breaks(jinja);
  if (text == kPlainBegin + kTurns) return result;
  const std::string end = kDefaultEnd + kTurns;
  if (text.size() >= kDefaultBegin.size() + end.size() && text.starts_with(kDefaultBegin) && text.ends_with(end)) {
    result.default_system_ = text.substr(kDefaultBegin.size(), text.size() - kDefaultBegin.size() - end.size());
    if (result.default_system_.find('\'') == std::string::npos) return result;
  }
  throw Error("the chat template of this model is not supported (its form: " + family_of(jinja) + ")", "chat template",
              "use a model with the plain ChatML template, such as SmolLM2-Instruct");
}

std::string ChatTemplate::render_prompt(const std::vector<proto::ChatMessage>& messages) const {
  if (jinja_.empty())
    throw Error("the model has no chat template", "chat template", "use the instruct variant of the model");
  std::string prompt;
  const auto turn = [&](const std::string& role, const std::string& content) {
    prompt += "<|im_start|>" + role + "\n" + content + "<|im_end|>\n";
  };
  if (!default_system_.empty() && !messages.empty() && messages.front().role() != "system")
    turn("system", default_system_);
  for (const proto::ChatMessage& message : messages) turn(message.role(), message.content());
  return prompt + "<|im_start|>assistant\n";
}

std::string ChatTemplate::end_of_turn() const { return "<|im_end|>"; }

}  // namespace kg::policy
