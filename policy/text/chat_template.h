#pragma once

#include <memory>
#include <string>
#include <vector>

#include "proto/generate.pb.h"

namespace kg::policy {

namespace jinja {
class Template;
}

// A model's chat format: its Jinja template, run by policy/jinja.h.
class ChatTemplate {
 public:
  ChatTemplate() = default;
  // `jinja` is the model's text; templates use the tokens by name. Throws Error naming anything a
  // template does that is not supported.
  static ChatTemplate from_jinja(const std::string& jinja, const std::string& bos_token = "",
                                 const std::string& eos_token = "");

  // The prompt up to and including the header of the assistant's turn, special tokens written out.
  std::string render_prompt(const std::vector<proto::ChatMessage>& messages) const;
  // The text after an answer: the end-of-turn token, written out.
  std::string end_of_turn() const { return end_of_turn_; }
  const std::string& jinja() const { return jinja_; }

 private:
  std::string render(const std::vector<proto::ChatMessage>& messages, bool prompt) const;

  std::string jinja_, bos_token_, eos_token_, end_of_turn_;
  std::shared_ptr<const jinja::Template> template_;  // null for a base model
};

}  // namespace kg::policy
