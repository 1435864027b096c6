#include "policy/generation/generator_engine.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <unordered_map>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"

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
      end_tokens_(end_tokens(backend_->config(), tokenizer_.get(), chat_template_)),
      samplers_(static_cast<std::size_t>(backend_->team().threads())) {
  KG_CHECK_GT(options.max_batch, 0);
}

void GenerationEngine::set_weights(std::shared_ptr<const GenerationWeights> weights, std::uint64_t version) {
  weights_ = std::move(weights);
  version_ = version;
}

std::uint64_t GenerationEngine::submit(const proto::GenerateRequest& request) {
  KG_CHECK(tokenizer_ != nullptr);
  const std::vector<proto::ChatMessage> messages(request.messages().begin(), request.messages().end());
  return submit_tokens(request, tokenizer_->encode(chat_template_.render_prompt(messages)));
}

std::uint64_t GenerationEngine::submit_tokens(const proto::GenerateRequest& request, std::vector<std::int32_t> prompt) {
  GenerationRequest r;
  r.handle = next_handle_++;
  r.request = request;
  r.prompt = std::move(prompt);
  r.version_deadline = monotonic_seconds() + options_.version_timeout_seconds;
  check_request(r, backend_->config(), backend_->cache().blocks());
  r.completions.resize(request.count());
  requests_.push_back(std::move(r));
  return requests_.back().handle;
}

void GenerationEngine::cancel(std::uint64_t handle) {
  requests_.remove_if([&](GenerationRequest& r) {
    if (r.handle != handle) return false;
    reserved_blocks_ -= r.reserved_blocks;
    return true;
  });
}

int GenerationEngine::running() const {
  std::size_t count = 0;
  for (const GenerationRequest& r : requests_) count += r.running.size();
  return static_cast<int>(count);
}

EngineCounts GenerationEngine::counts() const {
  EngineCounts counts;
  counts.running = static_cast<std::uint32_t>(running());
  for (const GenerationRequest& r : requests_) counts.waiting += r.request.count() - r.started;
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

void GenerationEngine::fail(GenerationRequest& r, const std::string& message) {
  proto::GenerateReply reply;
  reply.set_request_id(r.request.request_id());
  reply.set_error(message);
  reply.set_policy_version(version_);
  finished_.push_back({r.handle, std::move(reply)});
  cancel(r.handle);
}

void GenerationEngine::expire_waiting() {
  const double now = monotonic_seconds();
  for (auto it = requests_.begin(); it != requests_.end();) {
    GenerationRequest& r = *it++;
    if (!r.admitted && r.request.min_policy_version() > version_ && now > r.version_deadline)
      fail(r, "policy version " + std::to_string(r.request.min_policy_version()) +
                  " was wanted, the generator still has " + std::to_string(version_) + " after waiting " +
                  std::to_string(static_cast<int>(options_.version_timeout_seconds)) + " s");
  }
}

std::vector<FinishedRequest> GenerationEngine::take_finished() { return std::exchange(finished_, {}); }

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
