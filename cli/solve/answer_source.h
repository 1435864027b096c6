#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proto/generate.pb.h"

namespace kg::cli {

// What a model is asked: the conversation of one attempt so far.
struct Question {
  int attempt = 0;  // from 0
  int turn = 0;     // 0: the task; later ones repair the answer before
  std::vector<proto::ChatMessage> messages;
  std::vector<std::int32_t> prefix;  // a further turn's: Answer::tokens of the one before
};

struct ModelAnswer {
  int attempt = 0;
  int turn = 0;
  std::string text;
  bool cut_off = false;              // at the token limit
  std::vector<std::int32_t> tokens;  // of the prompt and the answer as they were drawn, if the model is ours
  int new_tokens = 0;
  std::string refused;  // why there is no answer to a further turn: the conversation is too long for the model
};

// A model that answers: one of ours on this machine, or a server of somebody else's. Questions are answered in any
// order, several at once.
class AnswerSource {
 public:
  virtual ~AnswerSource() = default;

  virtual void ask(const std::vector<Question>& questions) = 0;
  // An answer that is there, waited for at most this long. Throws Error if the model can give none any more.
  virtual std::optional<ModelAnswer> next(double seconds) = 0;
};

}  // namespace kg::cli
