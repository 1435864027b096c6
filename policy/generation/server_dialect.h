#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/http/client.h"
#include "proto/record.pb.h"

namespace kg::policy {

// Inference servers of others that take a prompt as token ids and give token ids back with the log-probability of each
// under the distribution that it was drawn from. Text alone is not enough: it would have to be tokenised again.
enum class ServerKind { kVllm, kSglang, kLlamaCpp };

std::string server_name(ServerKind kind);

// Asks the server what it is. Throws Error if it cannot be reached, or is none of these.
ServerKind find_server_kind(http::Client& client);

// Whether this program can replace the server's weights, as RL must. Of vLLM only NCCL and CUDA IPC lead there, which
// are a trainer's own processes; llama.cpp's server has no such route.
inline bool takes_weights(ServerKind kind) { return kind == ServerKind::kSglang; }

// The server's address without the /v1 under which it imitates OpenAI's.
std::string server_root(const std::string& url);

struct ServerRequest {
  std::string route;
  nlohmann::json body;
};

// One completion. `model`: as the server calls it. Throws Error for sampling that the server has not, or whose
// log-probabilities it does not tell.
ServerRequest completion_request(ServerKind kind, const std::vector<std::int32_t>& prompt,
                                 const proto::SamplingParameters& sampling, std::uint64_t seed,
                                 const std::string& model);

struct ServerCompletion {
  std::vector<std::int32_t> tokens;
  std::vector<float> log_probs;
  bool truncated = false;
};

// Throws Error, saying what is missing, for an answer that is no such completion.
ServerCompletion completion_of(ServerKind kind, const nlohmann::json& answer,
                               const proto::SamplingParameters& sampling);

// Of weights in a folder that the server can read, under this version's name.
ServerRequest weights_request(const std::string& folder, std::uint64_t version);

}  // namespace kg::policy
