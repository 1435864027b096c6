#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "policy/generation/decode_team.h"
#include "policy/generation/generator_request.h"
#include "policy/generation/sampler.h"
#include "policy/text/tokenizer.h"

namespace kg::policy {

// Called for each token of an answer as it is drawn, with its text; end tokens have none.
using OnToken = std::function<void(std::uint64_t handle, std::uint32_t completion, const std::string& text)>;

// A completion that needs its next token, the logits (V) to draw it from, and the version of their weights.
struct PendingDraw {
  RunningCompletion* completion;
  const float* logits;
  std::uint64_t version;
};

// Draws the next token of completions, and ends them at an end token, a stop string or their maximum length. Without a
// tokenizer completions have no text and no stop strings.
class CompletionDrawer {
 public:
  CompletionDrawer(std::shared_ptr<const Tokenizer> tokenizer, std::vector<std::int32_t> end_tokens, int threads,
                   OnToken on_token);

  // Draws in parallel and accepts in order; returns the number of accepted tokens. A completion whose draw fails gets
  // an error.
  std::uint64_t draw(DecodeTeam& team, std::int64_t vocabulary, const std::vector<PendingDraw>& pending);
  // Text of a completion, without the end token.
  std::string text_of(const RunningCompletion& completion) const;

 private:
  bool is_end(std::int32_t token) const;
  void accept(RunningCompletion& completion, const Draw& draw, std::uint64_t version) const;

  std::shared_ptr<const Tokenizer> tokenizer_;
  std::vector<std::int32_t> end_tokens_;
  std::vector<Sampler> samplers_;  // one for each thread
  OnToken on_token_;
};

}  // namespace kg::policy
