#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "policy/generation/kv_blocks.h"
#include "policy/generation/token_grammar.h"
#include "policy/model/model_config.h"
#include "proto/generate.pb.h"

namespace kg::policy {

struct GenerationRequest;

// One completion while it is being drawn.
struct RunningCompletion {
  GenerationRequest* request;
  std::uint32_t index;  // index among the request's completions
  KvSequence sequence;
  Philox stream;  // used only for this sample: its draws do not depend on its neighbours
  std::vector<std::int32_t> tokens;
  std::vector<float> log_probs;
  std::vector<std::uint64_t> versions;
  std::unique_ptr<TokenGrammar::Walk> walk;  // null: no grammar
  std::string kept;  // the vocabulary that filters and grammar kept for each token (proto/kept_set.h); empty without
  std::string text;  // decoded so far, if there are stop strings to look for
  bool done = false, truncated = false;
  std::string error;
};

// A request and its state: waiting, then its prompt is computed (prefilled < prompt.size()), then its
// completions start as slots become free, all from the prompt's last logits.
struct GenerationRequest {
  std::uint64_t handle = 0;
  proto::GenerateRequest request;
  std::vector<std::int32_t> prompt;
  std::shared_ptr<const TokenGrammar> grammar;  // null: none requested
  double version_deadline = 0;
  bool admitted = false;
  int reserved_blocks = 0;      // blocks in the KV cache, for the prompt and the running completions
  bool first_reserved = false;  // the first completion's share is included before it starts
  std::optional<KvSequence> prompt_sequence;
  int prefilled = 0;
  std::vector<float> logits;  // (V) after the prompt, once it is computed
  std::uint64_t logits_version = 0;
  std::uint32_t started = 0;
  std::list<RunningCompletion> running;
  std::vector<proto::Completion> completions;
  std::uint32_t finished = 0;

  // Blocks of the KV cache: those of the prompt (shared), and those of one completion beyond the prompt's full blocks.
  int prompt_blocks() const { return KvBlocks::blocks_for(static_cast<std::int64_t>(prompt.size())); }
  int completion_blocks() const {
    return KvBlocks::blocks_for(static_cast<std::int64_t>(prompt.size()) + request.sampling().max_new_tokens()) -
           static_cast<int>(prompt.size()) / kKvBlock;
  }
  bool prompt_done() const { return !logits.empty(); }
};

// Throws Error if a request can never be served: bad sampling parameters, or lengths beyond the model's context or the
// cache's blocks.
void check_request(const GenerationRequest& request, const ModelConfig& config, int cache_blocks);

// Whether `text`, of which the last `fresh` bytes are new, now contains one of the stop strings.
bool contains_stop(const std::string& text, std::size_t fresh, const proto::SamplingParameters& sampling);

// `text`: bytes of the tokens; converted to valid UTF-8 in the record.
proto::Completion finish_completion(const RunningCompletion& running, const std::string& text);

}  // namespace kg::policy
