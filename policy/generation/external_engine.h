#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "policy/generation/sampling_engine.h"
#include "policy/generation/server_dialect.h"
#include "policy/text/chat_template.h"
#include "policy/text/tokenizer.h"

namespace kg::policy {

struct ExternalOptions {
  std::string url;                       // URL of the server
  std::string token;                     // bearer token; empty: none
  int parallel = 32;                     // requests to the server at the same time: it forms the batch
  double seconds = 900;                  // limit for one completion
  double version_timeout_seconds = 300;  // how long a request may wait for its min_policy_version
  std::int64_t context = 0;              // the model's context: prompt and new tokens together
  std::int64_t vocabulary = 0;
};

// A third-party server (server_dialect.h) instead of this program's own engine. The prompt is rendered and
// tokenised here, once; each completion is a separate request, which the server batches with others.
//
//   submit ─► jobs ─► threads, a connection each ─► server ─► completions ─► take_finished
//
// The server does not say which weights made a token, and it may change them between two tokens. So the version in
// use before a request was sent is compared with the one after its answer, and the older one is recorded for all of
// its tokens.
class ExternalEngine : public SamplingEngine {
 public:
  // Determines the kind of server. Throws Error if it cannot be used.
  ExternalEngine(const ExternalOptions& options, std::shared_ptr<const Tokenizer> tokenizer,
                 ChatTemplate chat_template);
  ~ExternalEngine() override;

  ServerKind kind() const { return kind_; }

  std::uint64_t submit(const proto::GenerateRequest& request) override;
  void cancel(std::uint64_t handle) override;
  bool step() override;
  std::vector<FinishedRequest> take_finished() override;
  bool idle() const override;
  EngineCounts counts() const override;
  std::uint64_t policy_version() const override;
  void want_weights(const proto::WeightsManifest& manifest, WeightsLoader::Waiter waiter) override;
  std::optional<Switched> switch_weights() override;
  bool loading() const override;

 private:
  struct Asked;  // a request and its state
  struct Job {
    std::uint64_t handle;
    std::uint32_t index;
  };

  void work();
  void complete(http::Client& client, const Job& job);
  void give(Asked& asked, std::uint32_t index, proto::Completion completion);
  void fail(Asked& asked, const std::string& why);
  void load();
  std::string replace_weights(const proto::WeightsManifest& manifest) const;

  const ExternalOptions options_;
  const std::shared_ptr<const Tokenizer> tokenizer_;
  const ChatTemplate chat_template_;
  ServerKind kind_ = ServerKind::kVllm;
  std::string model_;  // the server's name for it
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, std::unique_ptr<Asked>> asked_;  // open requests
  std::deque<Job> jobs_;
  std::vector<FinishedRequest> finished_;
  std::uint64_t next_handle_ = 1, version_ = 0;
  std::uint64_t tokens_ = 0;
  std::deque<std::pair<double, std::uint64_t>> history_;  // (time, tokens_)
  std::uint32_t running_ = 0;
  std::optional<proto::WeightsManifest> next_;  // the weights to switch to
  std::vector<WeightsLoader::Waiter> waiters_;
  std::optional<Switched> switched_;
  bool loading_ = false, ending_ = false;
  std::vector<http::Client*> clients_;  // the threads' clients, to be stopped at the end
  // Checksum of the first requested weights, if the server's cannot be replaced: we assume that it has these,
  // and there are no others. Belongs to the loader.
  std::string fixed_;
  std::thread loader_;
  std::vector<std::thread> threads_;
};

}  // namespace kg::policy
