// One step of the engine: who enters, what is computed, what is drawn, who leaves.

#include <algorithm>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "policy/generation/generator_engine.h"
#include "policy/generation/sampling_filter.h"

namespace kg::policy {

// Prompts enter in order of arrival while slots and blocks last; a request that waits for newer weights is passed over.
// The blocks of the prompt and of one whole completion are reserved together, so that whoever is admitted can always
// finish.
void GenerationEngine::admit() {
  int promised = running();
  for (const GenerationRequest& r : requests_)
    if (r.admitted) promised += static_cast<int>(r.request.count() - r.started);
  for (GenerationRequest& r : requests_) {
    if (r.admitted) continue;
    if (r.request.min_policy_version() > version_) continue;
    const int blocks = r.prompt_blocks() + r.completion_blocks();
    if (promised >= options_.max_batch || reserved_blocks_ + blocks > backend_->cache().blocks()) break;
    r.admitted = r.first_reserved = true;
    r.reserved_blocks = blocks;
    reserved_blocks_ += blocks;
    r.prompt_sequence.emplace(backend_->cache());
    promised += static_cast<int>(r.request.count());
  }
}

void GenerationEngine::start_completions() {
  int active = running();
  std::vector<Pending> pending;
  for (GenerationRequest& r : requests_) {
    while (r.prompt_done() && r.started < r.request.count() && active < options_.max_batch) {
      if (r.first_reserved) {
        r.first_reserved = false;
      } else {
        if (reserved_blocks_ + r.completion_blocks() > backend_->cache().blocks()) break;
        reserved_blocks_ += r.completion_blocks();
        r.reserved_blocks += r.completion_blocks();
      }
      r.running.push_back({.request = &r,
                           .index = r.started,
                           .sequence = r.prompt_sequence->fork(),
                           .stream = Philox(r.request.sampling().seed(), r.request.first_sample() + r.started)});
      pending.push_back({&r.running.back(), r.logits.data(), r.logits_version});
      ++r.started;
      ++active;
    }
    if (r.prompt_done() && r.started == r.request.count()) r.prompt_sequence.reset();
  }
  draw(pending);
}

void GenerationEngine::draw(const std::vector<Pending>& pending) {
  std::vector<Draw> draws(pending.size());
  const auto vocabulary = static_cast<std::size_t>(backend_->config().vocabulary);
  backend_->team().run(static_cast<int>(pending.size()), [&](int i, int thread) {
    RunningCompletion& c = *pending[i].completion;
    const proto::SamplingParameters& sampling = c.request->request.sampling();
    std::vector<std::int32_t> previous;
    if (has_penalty(sampling)) {
      previous = c.request->prompt;
      previous.insert(previous.end(), c.tokens.begin(), c.tokens.end());
    }
    try {
      draws[i] = samplers_[thread].draw({pending[i].logits, vocabulary}, sampling, c.stream.next_double(), previous);
    } catch (const Error& error) {
      c.error = error.full_message();
    }
  });
  for (std::size_t i = 0; i < pending.size(); ++i)
    if (pending[i].completion->error.empty()) accept(*pending[i].completion, draws[i], pending[i].version);
}

void GenerationEngine::accept(RunningCompletion& c, const Draw& draw, std::uint64_t version) {
  const proto::SamplingParameters& sampling = c.request->request.sampling();
  c.tokens.push_back(draw.token);
  c.log_probs.push_back(draw.log_prob);
  c.versions.push_back(version);
  ++tokens_generated_;
  if (std::find(end_tokens_.begin(), end_tokens_.end(), draw.token) != end_tokens_.end()) {
    c.done = true;
    return;
  }
  const std::string piece = tokenizer_ != nullptr ? tokenizer_->decode({draw.token}) : "";
  if (options_.on_token) options_.on_token(c.request->handle, c.index, piece);
  if (sampling.stop_size() > 0 && tokenizer_ != nullptr) {
    c.text += piece;
    c.done = contains_stop(c.text, piece.size(), sampling);
  }
  if (!c.done && static_cast<int>(c.tokens.size()) >= sampling.max_new_tokens()) c.done = c.truncated = true;
}

void GenerationEngine::collect() {
  for (auto it = requests_.begin(); it != requests_.end();) {
    GenerationRequest& r = *it++;
    for (auto c = r.running.begin(); c != r.running.end();) {
      if (!c->error.empty()) {
        fail(r, c->error);
        break;
      }
      if (!c->done) {
        ++c;
        continue;
      }
      std::vector<std::int32_t> visible = c->tokens;
      if (std::find(end_tokens_.begin(), end_tokens_.end(), visible.back()) != end_tokens_.end()) visible.pop_back();
      r.completions[c->index] = finish_completion(*c, tokenizer_ != nullptr ? tokenizer_->decode(visible) : "");
      reserved_blocks_ -= r.completion_blocks();
      r.reserved_blocks -= r.completion_blocks();
      c = r.running.erase(c);
      if (++r.finished < r.request.count()) continue;
      proto::GenerateReply reply;
      reply.set_request_id(r.request.request_id());
      reply.set_policy_version(version_);
      for (proto::Completion& completion : r.completions) *reply.add_completions() = std::move(completion);
      finished_.push_back({r.handle, std::move(reply)});
      cancel(r.handle);
      break;
    }
  }
}

bool GenerationEngine::step() {
  KG_CHECK(weights_ != nullptr);
  expire_waiting();
  admit();
  start_completions();
  collect();

  std::vector<DecodeRow> rows;
  std::vector<RunningCompletion*> decoding;
  std::vector<GenerationRequest*> prompts;  // whose last token is among the rows
  for (GenerationRequest& r : requests_)
    for (RunningCompletion& c : r.running) {
      c.sequence.extend(1);
      rows.push_back({&c.sequence, c.tokens.back(), c.sequence.length() - 1, /*wants_logits=*/true});
      decoding.push_back(&c);
    }
  int budget = options_.prefill_rows;
  for (GenerationRequest& r : requests_) {
    if (!r.admitted || r.prompt_done() || budget == 0) continue;
    const int left = static_cast<int>(r.prompt.size()) - r.prefilled, take = std::min(left, budget);
    budget -= take;
    r.prompt_sequence->extend(take);
    for (int i = 0; i < take; ++i, ++r.prefilled)
      rows.push_back({&*r.prompt_sequence, r.prompt[r.prefilled], r.prefilled, /*wants_logits=*/i + 1 == left});
    if (take == left) prompts.push_back(&r);
  }
  if (rows.empty()) return false;

  const float* logits = backend_->forward(*weights_, rows);
  const std::int64_t vocabulary = backend_->config().vocabulary;
  std::vector<Pending> pending;
  for (RunningCompletion* c : decoding) {
    pending.push_back({c, logits, version_});
    logits += vocabulary;
  }
  for (GenerationRequest* r : prompts) {
    r->logits.assign(logits, logits + vocabulary);
    r->logits_version = version_;
    logits += vocabulary;
  }
  draw(pending);
  collect();
  const double now = monotonic_seconds();
  history_.emplace_back(now, tokens_generated_);
  while (now - history_.front().first > kRateWindowSeconds) history_.pop_front();
  return true;
}

}  // namespace kg::policy
