#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "policy/generation/generator_request.h"
#include "policy/generation/kv_blocks.h"
#include "proto/generate.pb.h"

namespace kg::policy {

struct FinishedRequest {
  std::uint64_t handle;
  proto::GenerateReply reply;  // `error` is set if it failed; `more` is set if the request continues
};

// An engine's requests in order of arrival, and the room promised to each: slots of the batch and
// blocks of the KV cache. Computes nothing. `version` is the version of the engine's weights.
class RequestQueue {
 public:
  RequestQueue(int max_batch, KvBlocks& cache);

  // Sets the request's handle and returns it.
  std::uint64_t add(GenerationRequest request);
  void cancel(std::uint64_t handle);
  // Ends a request with an error.
  void fail(GenerationRequest& request, const std::string& message, std::uint64_t version);
  // Fails requests that have waited too long for newer weights.
  void expire(std::uint64_t version, double timeout_seconds);
  // Admits prompts in order of arrival while there are slots and blocks; a request that waits for newer weights is
  // skipped. The blocks of the prompt and of one whole completion are reserved together, so an admitted request can
  // always finish.
  void admit(std::uint64_t version);
  // Completions whose prompt is computed and that have a slot. Each needs its first token, from the logits of
  // its request.
  std::vector<RunningCompletion*> start_completions();
  // Removes completions that are done, and requests whose last one is; `text_of` decodes the tokens.
  void collect(std::uint64_t version, const std::function<std::string(const RunningCompletion&)>& text_of);

  std::list<GenerationRequest>& requests() { return requests_; }
  std::vector<FinishedRequest> take_finished();
  bool empty() const { return requests_.empty(); }
  int running() const;            // completions
  std::uint32_t waiting() const;  // completions

 private:
  int max_batch_;
  KvBlocks& cache_;
  int reserved_blocks_ = 0;
  std::uint64_t next_handle_ = 1;
  std::list<GenerationRequest> requests_;
  std::vector<FinishedRequest> finished_;
};

}  // namespace kg::policy
