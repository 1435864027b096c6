#include "policy/generation/generator_engine.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <unordered_map>

#include "base/check.h"
#include "base/clock.h"
#include "policy/generation/prompt_tokens.h"

namespace kg::policy {
namespace {

int usable_cpus() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

std::size_t available_memory() {
  std::ifstream meminfo("/proc/meminfo");
  for (std::string key; meminfo >> key;) {
    std::size_t kib = 0;
    if (key == "MemAvailable:" && meminfo >> kib) return kib << 10;
    meminfo.ignore(1 << 10, '\n');
  }
  return std::size_t{2} << 30;
}

std::size_t cache_bytes(const EngineOptions& options) {
  if (options.kv_cache_bytes != 0) return options.kv_cache_bytes;
  constexpr std::size_t kMost = std::size_t{4} << 30;
  return options.device == "cpu" ? std::min(available_memory() / 4, kMost) : kMost;
}

std::vector<std::int32_t> end_tokens(const ModelConfig& config, const Tokenizer* tokenizer, const ChatTemplate& chat) {
  std::vector<std::int32_t> ids{config.eos_id};
  if (tokenizer != nullptr) {
    ids.push_back(tokenizer->end_of_text());
    ids.push_back(tokenizer->id_of("<|endoftext|>"));
    if (!chat.jinja().empty()) ids.push_back(tokenizer->id_of(chat.end_of_turn()));
  }
  std::erase_if(ids, [](std::int32_t id) { return id < 0; });
  return ids;
}

}  // namespace

GenerationEngine::GenerationEngine(const ModelConfig& config, std::shared_ptr<const Tokenizer> tokenizer,
                                   ChatTemplate chat_template, const EngineOptions& options)
    : GenerationEngine(open_backend(config, {.device = options.device,
                                             .dtype = options.dtype,
                                             .threads = options.threads > 0 ? options.threads : usable_cpus(),
                                             .kv_cache_bytes = cache_bytes(options)}),
                       std::move(tokenizer), std::move(chat_template), options) {}

GenerationEngine::GenerationEngine(std::unique_ptr<GenerationBackend> backend,
                                   std::shared_ptr<const Tokenizer> tokenizer, ChatTemplate chat_template,
                                   const EngineOptions& options)
    : backend_(std::move(backend)),
      tokenizer_(std::move(tokenizer)),
      chat_template_(std::move(chat_template)),
      options_(options),
      queue_(options.max_batch, backend_->cache()),
      drawer_(tokenizer_, end_tokens(backend_->config(), tokenizer_.get(), chat_template_), backend_->team().threads(),
              options.on_token) {}

void GenerationEngine::set_weights(std::shared_ptr<const GenerationWeights> weights, std::uint64_t version) {
  weights_ = std::move(weights);
  version_ = version;
}

std::uint64_t GenerationEngine::submit(const proto::GenerateRequest& request) {
  KG_CHECK(tokenizer_ != nullptr);
  return submit_tokens(request, prompt_tokens(chat_template_, *tokenizer_, request));
}

std::uint64_t GenerationEngine::submit_tokens(const proto::GenerateRequest& request, std::vector<std::int32_t> prompt) {
  GenerationRequest r;
  r.request = request;
  r.prompt = std::move(prompt);
  if (!request.sampling().grammar().empty()) {
    r.grammar = grammar(request.sampling().grammar());
    if (auto its_own = r.grammar->for_request(request)) r.grammar = std::move(its_own);
  }
  r.version_deadline = monotonic_seconds() + options_.version_timeout_seconds;
  check_request(r, backend_->config(), backend_->cache().blocks());
  r.completions.resize(request.count());
  return queue_.add(std::move(r));
}

std::shared_ptr<const TokenGrammar> GenerationEngine::grammar(const std::string& name) {
  const MakeGrammar& make = find_grammar(name);
  KG_CHECK(tokenizer_ != nullptr);
  std::shared_ptr<const TokenGrammar>& made = grammars_[name];
  if (made == nullptr)
    made = make(grammar_vocabulary(*tokenizer_, backend_->config().vocabulary,
                                   end_tokens(backend_->config(), tokenizer_.get(), chat_template_)));
  return made;
}

EngineCounts GenerationEngine::counts() const {
  EngineCounts counts;
  counts.running = static_cast<std::uint32_t>(queue_.running());
  counts.waiting = queue_.waiting();
  counts.tokens_generated = tokens_generated_;
  // Time without work counts: the rate is over the wall clock.
  const double now = monotonic_seconds();
  for (const auto& [time, tokens] : history_)
    if (now - time < kRateWindowSeconds) {
      counts.tokens_per_second = static_cast<double>(tokens_generated_ - tokens) / std::max(1e-3, now - time);
      break;
    }
  return counts;
}

void GenerationEngine::draw(const std::vector<PendingDraw>& pending) {
  tokens_generated_ += drawer_.draw(backend_->team(), backend_->config().vocabulary, pending);
  queue_.collect(version_, [&](const RunningCompletion& completion) { return drawer_.text_of(completion); });
}

std::vector<DecodeRow> GenerationEngine::next_rows(std::vector<RunningCompletion*>& decoding,
                                                   std::vector<GenerationRequest*>& prompts) {
  std::vector<DecodeRow> rows;
  for (GenerationRequest& r : queue_.requests())
    for (RunningCompletion& c : r.running) {
      c.sequence.extend(1);
      rows.push_back({&c.sequence, c.tokens.back(), c.sequence.length() - 1, /*wants_logits=*/true});
      decoding.push_back(&c);
    }
  int budget = options_.prefill_rows > 0 ? options_.prefill_rows : options_.device == "cpu" ? 256 : 4096;
  for (GenerationRequest& r : queue_.requests()) {
    if (!r.admitted || r.prompt_done() || budget == 0) continue;
    const int left = static_cast<int>(r.prompt.size()) - r.prefilled, take = std::min(left, budget);
    budget -= take;
    r.prompt_sequence->extend(take);
    for (int i = 0; i < take; ++i, ++r.prefilled)
      rows.push_back({&*r.prompt_sequence, r.prompt[r.prefilled], r.prefilled, /*wants_logits=*/i + 1 == left});
    if (take == left) prompts.push_back(&r);
  }
  return rows;
}

bool GenerationEngine::step() {
  KG_CHECK(weights_ != nullptr);
  queue_.expire(version_, options_.version_timeout_seconds);
  queue_.admit(version_);
  std::vector<PendingDraw> pending;
  for (RunningCompletion* c : queue_.start_completions())
    pending.push_back({c, c->request->logits.data(), c->request->logits_version});
  draw(pending);

  std::vector<RunningCompletion*> decoding;
  std::vector<GenerationRequest*> prompts;
  const std::vector<DecodeRow> rows = next_rows(decoding, prompts);
  if (rows.empty()) return false;
  const float* logits = backend_->forward(*weights_, rows);  // (decoding + prompts, V)
  const std::int64_t vocabulary = backend_->config().vocabulary;
  pending.clear();
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
  const double now = monotonic_seconds();
  history_.emplace_back(now, tokens_generated_);
  while (now - history_.front().first > kRateWindowSeconds) history_.pop_front();
  return true;
}

std::vector<proto::GenerateReply> generate_all(GenerationEngine& engine,
                                               const std::vector<proto::GenerateRequest>& requests) {
  std::unordered_map<std::uint64_t, std::size_t> order;
  for (const proto::GenerateRequest& request : requests) order.emplace(engine.submit(request), order.size());
  std::vector<proto::GenerateReply> replies(requests.size());
  for (bool more = true; more;) {
    more = engine.step();
    for (FinishedRequest& done : engine.take_finished())
      if (const auto found = order.find(done.handle); found != order.end())
        replies[found->second] = std::move(done.reply);
  }
  return replies;
}

}  // namespace kg::policy
