#pragma once

#include <string>
#include <vector>

#include "proto/generate.pb.h"

namespace kg::policy {

// The chat format of a model. Templates are Jinja programs; the families of ChatML form (SmolLM2, Qwen) are rendered
// natively, any other is refused by name when the model is loaded.
class ChatTemplate {
 public:
  ChatTemplate() = default;
  // `jinja` as the model states it. Throws Error for a template outside what is supported.
  static ChatTemplate from_jinja(const std::string& jinja);

  // The prompt up to and including the header of the assistant's turn, special tokens written out.
  std::string render_prompt(const std::vector<proto::ChatMessage>& messages) const;
  // What follows an answer: the end-of-turn token written out.
  std::string end_of_turn() const;
  const std::string& jinja() const { return jinja_; }

 private:
  std::string jinja_;
  std::string default_system_;
};

}  // namespace kg::policy
