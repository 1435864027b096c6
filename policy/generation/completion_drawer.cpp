#include "policy/generation/completion_drawer.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "policy/generation/sampling_filter.h"
#include "proto/kept_set.h"

namespace kg::policy {

CompletionDrawer::CompletionDrawer(std::shared_ptr<const Tokenizer> tokenizer, std::vector<std::int32_t> end_tokens,
                                   int threads, OnToken on_token)
    : tokenizer_(std::move(tokenizer)),
      end_tokens_(std::move(end_tokens)),
      samplers_(static_cast<std::size_t>(threads)),
      on_token_(std::move(on_token)) {}

std::uint64_t CompletionDrawer::draw(DecodeTeam& team, std::int64_t vocabulary,
                                     const std::vector<PendingDraw>& pending) {
  std::vector<Draw> draws(pending.size());
  team.run(static_cast<int>(pending.size()), [&](int i, int thread) {
    RunningCompletion& c = *pending[i].completion;
    const proto::SamplingParameters& sampling = c.request->request.sampling();
    std::vector<std::int32_t> previous;
    if (has_penalty(sampling)) {
      previous = c.request->prompt;
      previous.insert(previous.end(), c.tokens.begin(), c.tokens.end());
    }
    try {
      const TokenMask* const allowed =
          c.walk != nullptr ? &c.walk->allowed(sampling.max_new_tokens() - static_cast<int>(c.tokens.size())) : nullptr;
      draws[i] = samplers_[thread].draw({pending[i].logits, static_cast<std::size_t>(vocabulary)}, sampling,
                                        c.stream.next_double(), previous, allowed);
      if (c.walk != nullptr) c.walk->take(draws[i].token);
    } catch (const Error& error) {
      c.error = error.full_message();
    }
  });
  std::uint64_t accepted = 0;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (!pending[i].completion->error.empty()) continue;
    accept(*pending[i].completion, draws[i], pending[i].version);
    ++accepted;
  }
  return accepted;
}

bool CompletionDrawer::is_end(std::int32_t token) const {
  return std::find(end_tokens_.begin(), end_tokens_.end(), token) != end_tokens_.end();
}

void CompletionDrawer::accept(RunningCompletion& c, const Draw& draw, std::uint64_t version) const {
  const proto::SamplingParameters& sampling = c.request->request.sampling();
  c.tokens.push_back(draw.token);
  c.log_probs.push_back(draw.log_prob);
  c.versions.push_back(version);
  if (leaves_a_part(sampling)) {
    if (draw.kept.empty())
      proto::append_whole_vocabulary(c.kept);
    else
      proto::append_kept_set(c.kept, draw.kept);
  }
  if (is_end(draw.token)) {
    c.done = true;
    return;
  }
  const std::string piece = tokenizer_ != nullptr ? tokenizer_->decode({draw.token}) : "";
  if (on_token_) on_token_(c.request->handle, c.index, piece);
  if (sampling.stop_size() > 0 && tokenizer_ != nullptr) {
    c.text += piece;
    c.done = contains_stop(c.text, piece.size(), sampling);
  }
  if (!c.done && static_cast<int>(c.tokens.size()) >= sampling.max_new_tokens()) c.done = c.truncated = true;
}

std::string CompletionDrawer::text_of(const RunningCompletion& completion) const {
  if (tokenizer_ == nullptr) return "";
  std::vector<std::int32_t> visible = completion.tokens;
  if (is_end(visible.back())) visible.pop_back();
  return tokenizer_->decode(visible);
}

}  // namespace kg::policy
