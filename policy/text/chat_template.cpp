#include "policy/text/chat_template.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "policy/text/jinja.h"
#include "proto/chat_message.h"

namespace kg::policy {

ChatTemplate ChatTemplate::from_jinja(const std::string& jinja, const std::string& bos_token,
                                      const std::string& eos_token) {
  ChatTemplate result;
  result.jinja_ = jinja;
  if (jinja.empty()) return result;  // a base model: refused when a prompt is rendered
  result.bos_token_ = bos_token;
  result.eos_token_ = eos_token;
  result.template_ = std::make_shared<jinja::Template>(jinja);
  // Run once here, so that a template that cannot be run is refused when the model is loaded. The text after an answer
  // is what ends a turn.
  const std::string answer = "2a9c0e6f";
  const std::string turns =
      result.render({proto::chat_message("user", "?"), proto::chat_message("assistant", answer)}, /*prompt=*/false);
  const std::size_t found = turns.rfind(answer);
  std::string end = found == std::string::npos ? "" : turns.substr(found + answer.size());
  end.erase(0, std::min(end.size(), end.find_first_not_of(" \n\t\r")));
  while (!end.empty() && std::string(" \n\t\r").find(end.back()) != std::string::npos) end.pop_back();
  result.end_of_turn_ = end.empty() ? eos_token : end;
  return result;
}

std::string ChatTemplate::render(const std::vector<proto::ChatMessage>& messages, bool prompt) const {
  nlohmann::ordered_json turns = nlohmann::ordered_json::array();
  for (const proto::ChatMessage& m : messages) turns.push_back({{"role", m.role()}, {"content", m.content()}});
  return template_->render({{"messages", turns},
                            {"add_generation_prompt", prompt},
                            {"bos_token", bos_token_},
                            {"eos_token", eos_token_},
                            {"tools", nullptr},
                            {"documents", nullptr}});
}

std::string ChatTemplate::render_prompt(const std::vector<proto::ChatMessage>& messages) const {
  if (template_ == nullptr)
    throw Error("the model has no chat template", "chat template", "use the instruct variant of the model");
  return render(messages, /*prompt=*/true);
}

}  // namespace kg::policy
