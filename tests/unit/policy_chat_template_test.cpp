#include <gtest/gtest.h>

#include "base/error.h"
#include "policy/chat_template.h"

namespace kg::policy {
namespace {

const std::string kTurns =
    "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";
const std::string kWithDefault =
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\n"
    "You are a test<|im_end|>\n' }}{% endif %}" +
    kTurns;

std::vector<proto::ChatMessage> messages(std::initializer_list<std::pair<const char*, const char*>> turns) {
  std::vector<proto::ChatMessage> list;
  for (const auto& [role, content] : turns) {
    list.emplace_back().set_role(role);
    list.back().set_content(content);
  }
  return list;
}

TEST(ChatTemplate, DefaultSystemPromptComesOnlyWhereThereIsNone) {
  const ChatTemplate chat = ChatTemplate::from_jinja(kWithDefault);
  EXPECT_EQ(chat.render_prompt(messages({{"user", "Hi"}})),
            "<|im_start|>system\nYou are a test<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(chat.render_prompt(messages({{"system", "S"}, {"user", "Hi"}})),
            "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
}

TEST(ChatTemplate, PlainChatMlAddsNothing) {
  const ChatTemplate chat = ChatTemplate::from_jinja("{% for message in messages %}" + kTurns);
  EXPECT_EQ(chat.render_prompt(messages({{"user", "Hi"}})), "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
}

TEST(ChatTemplate, LineBreaksMayBeEscaped) {
  std::string escaped;
  for (const char c : kWithDefault) escaped += c == '\n' ? std::string("\\n") : std::string(1, c);
  EXPECT_NO_THROW(ChatTemplate::from_jinja(escaped));
}

TEST(ChatTemplate, RefusesOtherFormsByName) {
  try {
    ChatTemplate::from_jinja("{{ bos_token }}[INST] {{ messages[0]['content'] }} [/INST]");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("Mistral"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace kg::policy
