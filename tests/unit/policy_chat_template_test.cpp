#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "policy/text/chat_template.h"
#include "policy/text/jinja.h"

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

TEST(ChatTemplate, WhatIsNotSupportedIsRefusedByNameWhenTheTemplateIsRead) {
  for (const auto& [text, word] : {std::pair{"{{ messages | groupby('role') }}", "groupby"},
                                   {"{% import 'other' as x %}", "import"},
                                   {"{{ lookup(messages) }}", "lookup"},
                                   {"{% for m in messages %}", "endfor"}}) {
    try {
      ChatTemplate::from_jinja(text);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_NE(error.full_message().find(word), std::string::npos) << error.full_message();
    }
  }
}

// Templates in the manner of model families with what Jinja2 makes of them: policy_chat_template_reference.py.
TEST(ChatTemplate, TemplatesOfModelFamiliesGiveWhatJinja2Gives) {
  const auto cases = nlohmann::json::parse(read_file(KG_SOURCE_DIR "/tests/unit/policy_chat_template_fixture.json"));
  ASSERT_GE(cases.size(), 30u);
  for (const auto& one : cases) {
    const jinja::Template chat(one.at("template").get<std::string>());
    const auto variables = nlohmann::ordered_json::parse(one.at("variables").get<std::string>());
    if (one.contains("error")) {
      EXPECT_THROW(chat.render(variables), Error) << one.at("name") << " " << variables.dump();
      continue;
    }
    EXPECT_EQ(chat.render(variables), one.at("text").get<std::string>()) << one.at("name") << " " << variables.dump();
  }
}

TEST(ChatTemplate, TheEndOfATurnIsWhatStandsBehindAnAnswer) {
  EXPECT_EQ(ChatTemplate::from_jinja(kWithDefault).end_of_turn(), "<|im_end|>");
  const ChatTemplate chat = ChatTemplate::from_jinja(
      "{{ bos_token }}{% for m in messages %}{% if m.role == 'user' %}[INST] {{ m.content }} [/INST]{% else %}"
      "{{ m.content }}{{ eos_token }}{% endif %}{% endfor %}",
      "<s>", "</s>");
  EXPECT_EQ(chat.end_of_turn(), "</s>");
  EXPECT_EQ(chat.render_prompt(messages({{"user", "Hi"}})), "<s>[INST] Hi [/INST]");
}

}  // namespace
}  // namespace kg::policy
