#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/http/client.h"
#include "proto/record.pb.h"

namespace kg::policy {

// Third-party inference servers that accept a prompt as token ids and return token ids with the log-probability of each
// under the distribution it was drawn from. Text alone is not enough: it would have to be tokenised again.
enum class ServerKind { kVllm, kSglang, kLlamaCpp };

std::string server_name(ServerKind kind);

// Asks the server what it is. Throws Error if it cannot be reached or is none of these.
ServerKind find_server_kind(http::Client& client);

// Whether this program can replace the server's weights, as RL must. With vLLM only NCCL and CUDA IPC would do, which
// require the trainer's own processes; llama.cpp's server has no such route.
inline bool takes_weights(ServerKind kind) { return kind == ServerKind::kSglang; }

// The server's address without the /v1 of its OpenAI-compatible routes.
std::string server_root(const std::string& url);

struct ServerRequest {
  std::string route;
  nlohmann::json body;
};

// One completion. `model`: the server's name for it. Throws Error for sampling parameters that the server lacks, or for
// which it does not report log-probabilities.
ServerRequest completion_request(ServerKind kind, const std::vector<std::int32_t>& prompt,
                                 const proto::SamplingParameters& sampling, std::uint64_t seed,
                                 const std::string& model);

struct ServerCompletion {
  std::vector<std::int32_t> tokens;
  std::vector<float> log_probs;
  bool truncated = false;
};

// Throws Error with the missing part if the answer is not such a completion.
ServerCompletion completion_of(ServerKind kind, const nlohmann::json& answer,
                               const proto::SamplingParameters& sampling);

// For weights in a folder that the server can read, under this version's name.
ServerRequest weights_request(const std::string& folder, std::uint64_t version);

}  // namespace kg::policy
