#include "policy/generation/prompt_tokens.h"

#include <string>

#include "base/error.h"

namespace kg::policy {
namespace {

constexpr const char* kAnswer = "7f3a1c90e5";  // placeholder for the answer while the template runs

// The template's text after the last answer of the conversation.
std::string behind_last_answer(const ChatTemplate& chat, std::vector<proto::ChatMessage> messages) {
  std::size_t last = messages.size();
  while (last > 0 && messages[last - 1].role() != "assistant") --last;
  if (last == 0)
    throw Error("the request continues an answer, but no message is an assistant's", "prefix_ids",
                "give the conversation with its answers");
  messages[last - 1].set_content(kAnswer);
  const std::string whole = chat.render_prompt(messages);
  const std::size_t at = whole.rfind(kAnswer);
  if (at == std::string::npos)
    throw Error("the model's chat template leaves earlier answers out", "chat template",
                "ask without further turns (--turns 1)", Error::Kind::kFailed);
  return whole.substr(at + std::char_traits<char>::length(kAnswer));
}

}  // namespace

std::vector<std::int32_t> prompt_tokens(const ChatTemplate& chat, const Tokenizer& tokenizer,
                                        const proto::GenerateRequest& request) {
  const std::vector<proto::ChatMessage> messages(request.messages().begin(), request.messages().end());
  if (request.prefix_ids().empty()) return tokenizer.encode(chat.render_prompt(messages));
  std::vector<std::int32_t> tokens(request.prefix_ids().begin(), request.prefix_ids().end());
  const std::vector<std::int32_t> rest = tokenizer.encode(behind_last_answer(chat, messages));
  // The model ended its turn itself, unless it was cut off.
  const std::size_t drawn = !rest.empty() && tokens.back() == rest.front() ? 1 : 0;
  tokens.insert(tokens.end(), rest.begin() + static_cast<std::ptrdiff_t>(drawn), rest.end());
  return tokens;
}

}  // namespace kg::policy
