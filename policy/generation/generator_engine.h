#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "policy/generation/completion_drawer.h"
#include "policy/generation/generation_backend.h"
#include "policy/generation/generator_request.h"
#include "policy/generation/request_queue.h"
#include "policy/text/chat_template.h"
#include "policy/text/tokenizer.h"
#include "proto/generate.pb.h"

namespace kg::policy {

inline constexpr double kRateWindowSeconds = 10;

struct EngineOptions {
  int max_batch = 64;                    // completions decoded at the same time
  std::string device = "cpu";            // where the model is computed (policy/device.h)
  std::string dtype = "float32";         // storage type of the weights it will get: pack_weights()
  int threads = 0;                       // 0: one for each CPU that this process may use
  std::size_t kv_cache_bytes = 0;        // 0: 4 GiB; on a CPU at most a quarter of the free memory
  int prefill_rows = 0;                  // prompt tokens in one step beside the decoding ones; 0: 256, on a device 4096
  double version_timeout_seconds = 300;  // how long a request may wait for its min_policy_version
  OnToken on_token = {};                 // called within step()
};

struct EngineCounts {
  std::uint32_t running = 0, waiting = 0;  // completions
  std::uint64_t tokens_generated = 0;
  double tokens_per_second = 0;  // over the last kRateWindowSeconds
};

// Continuous batching: at every step each running completion gains one token, new prompts are computed
// beside them, and finished completions make room. One thread calls it; it spreads each step over its own threads. Use,
// as in generate_all():
//
//   engine.submit(request);             // throws Error if it can never be served
//   while (engine.step()) {}            // one step for all
//   for (auto& done : engine.take_finished()) ...
class GenerationEngine {
 public:
  GenerationEngine(const ModelConfig& config, std::shared_ptr<const Tokenizer> tokenizer, ChatTemplate chat_template,
                   const EngineOptions& options);
  // The same with the model computed by `backend`, regardless of the options for device, threads and memory.
  GenerationEngine(std::unique_ptr<GenerationBackend> backend, std::shared_ptr<const Tokenizer> tokenizer,
                   ChatTemplate chat_template, const EngineOptions& options);

  // Takes weights from pack_weights() for the engine's device. Call between steps; running requests go on with the new
  // weights, and keep the keys and values already computed.
  void set_weights(std::shared_ptr<const GenerationWeights> weights, std::uint64_t version);
  std::uint64_t policy_version() const { return version_; }
  const ModelConfig& config() const { return backend_->config(); }

  std::uint64_t submit(const proto::GenerateRequest& request);
  // The same with the prompt given as tokens: benchmarks, tests.
  std::uint64_t submit_tokens(const proto::GenerateRequest& request, std::vector<std::int32_t> prompt);
  void cancel(std::uint64_t handle) { queue_.cancel(handle); }
  // False if nothing could be computed: there is no work, or all of it waits for newer weights.
  bool step();
  std::vector<FinishedRequest> take_finished() { return queue_.take_finished(); }
  bool idle() const { return queue_.empty(); }
  EngineCounts counts() const;

 private:
  // Collects the tokens to compute next: `decoding` gets the completions, `prompts` the requests whose last token is
  // among the rows, both in the order of the logits.
  std::vector<DecodeRow> next_rows(std::vector<RunningCompletion*>& decoding, std::vector<GenerationRequest*>& prompts);
  void draw(const std::vector<PendingDraw>& pending);
  std::shared_ptr<const TokenGrammar> grammar(const std::string& name);  // made on first use

  std::unique_ptr<GenerationBackend> backend_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  ChatTemplate chat_template_;
  EngineOptions options_;
  RequestQueue queue_;
  CompletionDrawer drawer_;
  std::map<std::string, std::shared_ptr<const TokenGrammar>> grammars_;
  std::shared_ptr<const GenerationWeights> weights_;
  std::uint64_t version_ = 0;
  std::uint64_t tokens_generated_ = 0;
  std::deque<std::pair<double, std::uint64_t>> history_;  // (time, tokens_generated_) of recent steps
};

// Runs requests until they finish and returns their replies in order.
std::vector<proto::GenerateReply> generate_all(GenerationEngine& engine,
                                               const std::vector<proto::GenerateRequest>& requests);

}  // namespace kg::policy
