#include "policy/generation/external_engine.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "policy/generation/prompt_tokens.h"
#include "policy/text/valid_utf8.h"

namespace kg::policy {
namespace {

constexpr int kTries = 3;  // for a completion whose connection broke
constexpr double kFirstPause = 0.5;

http::ClientOptions client_options(const ExternalOptions& options) {
  return {.url = server_root(options.url), .token = options.token, .seconds = options.seconds};
}

// The seed of sample i of a request, the same for every worker. Servers take 31 bits.
std::uint64_t seed_of(const proto::GenerateRequest& request, std::uint32_t index) {
  const std::string text =
      std::to_string(request.sampling().seed()) + "/" + std::to_string(request.first_sample() + index);
  return hash64(text) & 0x7fffffff;
}

}  // namespace

struct ExternalEngine::Asked {
  std::uint64_t handle = 0;
  proto::GenerateRequest request;
  std::vector<std::int32_t> prompt;
  double version_deadline = 0;
  std::vector<proto::Completion> completions;
  std::uint32_t left = 0;  // completions without an answer
};

ExternalEngine::ExternalEngine(const ExternalOptions& options, std::shared_ptr<const Tokenizer> tokenizer,
                               ChatTemplate chat_template)
    : options_(options), tokenizer_(std::move(tokenizer)), chat_template_(std::move(chat_template)) {
  http::Client client(client_options(options_));
  kind_ = find_server_kind(client);
  if (kind_ == ServerKind::kVllm) {
    const nlohmann::json models = client.get_json("/v1/models");
    if (!models.contains("data") || models["data"].empty())
      throw Error("the server has no model", options_.url, "look at its log", Error::Kind::kEnvironment);
    model_ = models["data"][0].value("id", "");
  }
  for (int i = 0; i < options_.parallel; ++i) threads_.emplace_back([this] { work(); });
}

ExternalEngine::~ExternalEngine() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    for (http::Client* client : clients_) client->stop();
  }
  changed_.notify_all();
  if (loader_.joinable()) loader_.join();
  for (std::thread& thread : threads_) thread.join();
}

std::uint64_t ExternalEngine::submit(const proto::GenerateRequest& request) {
  auto asked = std::make_unique<Asked>();
  asked->request = request;
  asked->prompt = prompt_tokens(chat_template_, *tokenizer_, request);
  asked->completions.resize(request.count());
  asked->left = request.count();
  asked->version_deadline = monotonic_seconds() + options_.version_timeout_seconds;
  const auto wanted = static_cast<std::int64_t>(asked->prompt.size()) + request.sampling().max_new_tokens();
  if (request.count() == 0 || request.sampling().max_new_tokens() <= 0 || asked->prompt.empty())
    throw Error("a request without a prompt, or for no completions or tokens", "generation request",
                "ask for at least one");
  if (wanted > options_.context)
    throw Error("prompt and new tokens together are " + std::to_string(wanted) + ", the model's context holds " +
                    std::to_string(options_.context),
                "generation request", "shorten the prompt or lower max_new_tokens");
  completion_request(kind_, asked->prompt, request.sampling(), 0, model_);  // throws for unsupported sampling
  const std::lock_guard lock(mutex_);
  const std::uint64_t handle = next_handle_++;
  asked->handle = handle;
  for (std::uint32_t i = 0; i < request.count(); ++i) jobs_.push_back({handle, i});
  asked_[handle] = std::move(asked);
  changed_.notify_all();
  return handle;
}

void ExternalEngine::cancel(std::uint64_t handle) {
  const std::lock_guard lock(mutex_);
  asked_.erase(handle);
  std::erase_if(jobs_, [&](const Job& job) { return job.handle == handle; });
}

bool ExternalEngine::step() {
  const std::lock_guard lock(mutex_);
  const double now = monotonic_seconds();
  std::vector<Asked*> late;
  for (const auto& [handle, asked] : asked_)
    if (asked->request.min_policy_version() > version_ && now > asked->version_deadline) late.push_back(asked.get());
  for (Asked* asked : late)
    fail(*asked, "policy version " + std::to_string(asked->request.min_policy_version()) +
                     " has not arrived; the server has " + std::to_string(version_));
  while (!history_.empty() && now - history_.front().first > kRateWindowSeconds) history_.pop_front();
  return !finished_.empty();
}

std::vector<FinishedRequest> ExternalEngine::take_finished() {
  const std::lock_guard lock(mutex_);
  return std::exchange(finished_, {});
}

bool ExternalEngine::idle() const {
  const std::lock_guard lock(mutex_);
  return asked_.empty();
}

EngineCounts ExternalEngine::counts() const {
  const std::lock_guard lock(mutex_);
  EngineCounts counts{
      .running = running_, .waiting = static_cast<std::uint32_t>(jobs_.size()), .tokens_generated = tokens_};
  if (!history_.empty())
    counts.tokens_per_second = static_cast<double>(tokens_ - history_.front().second) /
                               std::max(1e-3, monotonic_seconds() - history_.front().first);
  return counts;
}

std::uint64_t ExternalEngine::policy_version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

void ExternalEngine::work() {
  http::Client client(client_options(options_));
  std::unique_lock lock(mutex_);
  clients_.push_back(&client);
  for (;;) {
    // The first job whose weights are there; those that wait for newer ones are passed over.
    auto next = jobs_.end();
    changed_.wait(lock, [&] {
      next = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& job) {
        return asked_.at(job.handle)->request.min_policy_version() <= version_;
      });
      return ending_ || next != jobs_.end();
    });
    if (ending_) break;
    const Job job = *next;
    jobs_.erase(next);
    ++running_;
    lock.unlock();
    complete(client, job);
    lock.lock();
    --running_;
  }
  std::erase(clients_, &client);
}

// Called without the mutex.
void ExternalEngine::complete(http::Client& client, const Job& job) {
  proto::GenerateRequest request;
  std::vector<std::int32_t> prompt;
  std::uint64_t before = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto asked = asked_.find(job.handle);
    if (asked == asked_.end()) return;
    request = asked->second->request;
    prompt = asked->second->prompt;
    before = version_;
  }
  std::string failure;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    try {
      const ServerRequest wanted =
          completion_request(kind_, prompt, request.sampling(), seed_of(request, job.index), model_);
      const ServerCompletion given =
          completion_of(kind_, client.post_json(wanted.route, wanted.body), request.sampling());
      for (const std::int32_t token : given.tokens)
        if (token < 0 || token >= options_.vocabulary)
          throw Error("the server gives token " + std::to_string(token) + ", the model has " +
                          std::to_string(options_.vocabulary),
                      options_.url, "--model must be the model that the server has");
      proto::Completion completion;
      completion.mutable_prompt_ids()->Add(prompt.begin(), prompt.end());
      completion.mutable_token_ids()->Add(given.tokens.begin(), given.tokens.end());
      completion.mutable_log_probs()->Add(given.log_probs.begin(), given.log_probs.end());
      completion.set_text(valid_utf8(tokenizer_->decode(given.tokens)));
      completion.set_truncated(given.truncated);
      *completion.mutable_sampling() = request.sampling();
      const std::lock_guard lock(mutex_);
      completion.add_policy_versions(std::min(before, version_));
      history_.emplace_back(monotonic_seconds(), tokens_);
      tokens_ += given.tokens.size();
      if (const auto asked = asked_.find(job.handle); asked != asked_.end())
        give(*asked->second, job.index, std::move(completion));
      return;
    } catch (const Error& error) {
      failure = error.full_message();
    } catch (const std::exception& error) {
      failure = error.what();
    }
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, std::chrono::duration<double>(kFirstPause * (1 << attempt)), [&] { return ending_; }))
      return;
  }
  const std::lock_guard lock(mutex_);
  if (const auto asked = asked_.find(job.handle); asked != asked_.end()) fail(*asked->second, failure);
}

// The caller holds the mutex. The request may be gone afterwards.
void ExternalEngine::give(Asked& asked, std::uint32_t index, proto::Completion completion) {
  const bool last = --asked.left == 0;
  if (asked.request.singly()) {
    FinishedRequest& done = finished_.emplace_back(FinishedRequest{asked.handle, {}});
    *done.reply.add_completions() = std::move(completion);
    done.reply.add_indexes(index);
    done.reply.set_more(!last);
  } else {
    asked.completions[index] = std::move(completion);
    if (!last) return;
    FinishedRequest& done = finished_.emplace_back(FinishedRequest{asked.handle, {}});
    for (proto::Completion& one : asked.completions) *done.reply.add_completions() = std::move(one);
  }
  finished_.back().reply.set_request_id(asked.request.request_id());
  finished_.back().reply.set_policy_version(version_);
  if (last) asked_.erase(asked.handle);
}

// The caller holds the mutex. The request is gone afterwards.
void ExternalEngine::fail(Asked& asked, const std::string& why) {
  FinishedRequest& done = finished_.emplace_back(FinishedRequest{asked.handle, {}});
  done.reply.set_request_id(asked.request.request_id());
  done.reply.set_error(why);
  done.reply.set_policy_version(version_);
  const std::uint64_t handle = asked.handle;
  std::erase_if(jobs_, [&](const Job& job) { return job.handle == handle; });
  asked_.erase(handle);
}

void ExternalEngine::want_weights(const proto::WeightsManifest& manifest, WeightsLoader::Waiter waiter) {
  const std::lock_guard lock(mutex_);
  waiters_.push_back(std::move(waiter));
  if (!next_ || manifest.version() > next_->version()) next_ = manifest;
  if (loading_) return;
  loading_ = true;
  if (loader_.joinable()) loader_.join();  // it has ended
  loader_ = std::thread([this] { load(); });
}

// Why the server does not take them; empty: it has.
std::string ExternalEngine::replace_weights(const proto::WeightsManifest& manifest) const {
  http::Client client(client_options(options_));
  const ServerRequest wanted = weights_request(manifest.path(), manifest.version());
  const nlohmann::json answer = client.post_json(wanted.route, wanted.body);
  return answer.value("success", false) ? "" : "the server does not take the weights: " + answer.value("message", "");
}

// Runs on its own thread until no newer version is requested.
void ExternalEngine::load() {
  std::unique_lock lock(mutex_);
  while (next_ && !ending_) {
    proto::WeightsManifest manifest = *std::exchange(next_, std::nullopt);
    lock.unlock();
    std::string failure;
    try {
      if (takes_weights(kind_))
        failure = replace_weights(manifest);
      else if (fixed_.empty())
        fixed_ = manifest.checksum();
      else if (fixed_ != manifest.checksum())
        failure = server_name(kind_) + " at " + options_.url + " has no route to replace its weights";
    } catch (const std::exception& error) {
      failure = error.what();
    }
    lock.lock();
    if (failure.empty()) version_ = manifest.version();
    std::vector<WeightsLoader::Waiter> waiters = std::exchange(waiters_, {});
    if (switched_) waiters.insert(waiters.end(), switched_->waiters.begin(), switched_->waiters.end());
    switched_ = Switched{std::move(manifest), std::move(failure), std::move(waiters)};
    changed_.notify_all();
  }
  loading_ = false;
}

std::optional<SamplingEngine::Switched> ExternalEngine::switch_weights() {
  const std::lock_guard lock(mutex_);
  return std::exchange(switched_, std::nullopt);
}

bool ExternalEngine::loading() const {
  const std::lock_guard lock(mutex_);
  return loading_ || !asked_.empty();
}

}  // namespace kg::policy
