#include "policy/generation/server_dialect.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "policy/generation/sampling_filter.h"

namespace kg::policy {
namespace {

using nlohmann::json;

constexpr float kRounding = 1e-3f;  // by which a log-probability may exceed 0

// The distribution is the model's own.
bool is_plain(const proto::SamplingParameters& sampling) {
  return sampling.temperature() == 1 && !has_filter(sampling) && !has_penalty(sampling);
}
double top_p(const proto::SamplingParameters& sampling) { return sampling.top_p() > 0 ? sampling.top_p() : 1.0; }

[[noreturn]] void refuse(const std::string& what, const std::string& hint) {
  throw Error(what, "--generator", hint, Error::Kind::kFailed);
}

std::vector<std::string> stops(const proto::SamplingParameters& sampling) {
  return {sampling.stop().begin(), sampling.stop().end()};
}

json vllm_body(const std::vector<std::int32_t>& prompt, const proto::SamplingParameters& sampling, std::uint64_t seed,
               const std::string& model) {
  json body{{"model", model},
            {"prompt", prompt},
            {"n", 1},
            {"seed", seed},
            {"max_tokens", sampling.max_new_tokens()},
            {"temperature", sampling.temperature()},
            {"top_p", top_p(sampling)},
            {"top_k", sampling.top_k() > 0 ? sampling.top_k() : -1},
            {"min_p", sampling.min_p()},
            {"logprobs", 0},
            {"return_token_ids", true},
            {"skip_special_tokens", false}};
  if (has_penalty(sampling)) body["repetition_penalty"] = sampling.repetition_penalty();
  if (!sampling.stop().empty()) body["stop"] = stops(sampling);
  return body;
}

json sglang_body(const std::vector<std::int32_t>& prompt, const proto::SamplingParameters& sampling,
                 std::uint64_t seed) {
  json parameters{{"max_new_tokens", sampling.max_new_tokens()},
                  {"temperature", sampling.temperature()},
                  {"top_p", top_p(sampling)},
                  {"top_k", sampling.top_k() > 0 ? sampling.top_k() : -1},
                  {"min_p", sampling.min_p()},
                  {"sampling_seed", seed},
                  {"skip_special_tokens", false}};
  if (has_penalty(sampling)) parameters["repetition_penalty"] = sampling.repetition_penalty();
  if (!sampling.stop().empty()) parameters["stop"] = stops(sampling);
  return {{"input_ids", prompt}, {"sampling_params", parameters}, {"return_logprob", true}};
}

json llama_cpp_body(const std::vector<std::int32_t>& prompt, const proto::SamplingParameters& sampling,
                    std::uint64_t seed) {
  if (has_penalty(sampling))
    refuse("llama.cpp's server counts repetitions differently from kgtrain", "leave out the repetition penalty");
  json body{{"prompt", prompt},
            {"n_predict", sampling.max_new_tokens()},
            {"temperature", sampling.temperature()},
            {"top_k", sampling.top_k()},
            {"top_p", top_p(sampling)},
            {"min_p", sampling.min_p()},
            {"samplers", {"top_k", "top_p", "min_p", "temperature"}},
            {"repeat_penalty", 1.0},
            {"seed", seed},
            {"n_probs", 1},
            // For the distribution after filters and temperature; the model's own are reported with more digits.
            {"post_sampling_probs", !is_plain(sampling) && !is_greedy(sampling)},
            {"return_tokens", true},
            {"cache_prompt", true}};
  if (!sampling.stop().empty()) body["stop"] = stops(sampling);
  return body;
}

const json& field(const json& object, const char* key, const std::string& hint) {
  if (!object.is_object() || !object.contains(key))
    refuse(std::string("the server's answer has no \"") + key + "\"", hint);
  return object.at(key);
}

ServerCompletion vllm_completion(const json& answer) {
  const json& choices = field(answer, "choices", "is this vLLM?");
  if (!choices.is_array() || choices.size() != 1)
    refuse("the server does not give exactly one choice", "is this vLLM?");
  const json& choice = choices.front();
  ServerCompletion made;
  made.tokens =
      field(choice, "token_ids", "vLLM supports return_token_ids from version 0.10.2").get<std::vector<std::int32_t>>();
  for (const json& one : field(field(choice, "logprobs", "vLLM gives them where logprobs is asked for"),
                               "token_logprobs", "is this vLLM?"))
    made.log_probs.push_back(one.is_number() ? one.get<float>() : NAN);
  made.truncated = field(choice, "finish_reason", "is this vLLM?") == "length";
  return made;
}

ServerCompletion sglang_completion(const json& answer) {
  const json& about = field(answer, "meta_info", "is this SGLang's own /generate?");
  ServerCompletion made;
  for (const json& one : field(about, "output_token_logprobs", "start SGLang without --skip-tokenizer-init")) {
    made.log_probs.push_back(one.at(0).is_number() ? one.at(0).get<float>() : NAN);
    made.tokens.push_back(one.at(1).get<std::int32_t>());
  }
  const json& reason = field(about, "finish_reason", "is this SGLang's own /generate?");
  made.truncated = reason.is_object() && reason.value("type", "") == "length";
  return made;
}

ServerCompletion llama_cpp_completion(const json& answer) {
  ServerCompletion made;
  const json empty = json::array();
  for (const json& one : answer.value("completion_probabilities", empty)) {
    made.tokens.push_back(field(one, "id", "a newer server reports token ids").get<std::int32_t>());
    if (one.contains("logprob"))
      made.log_probs.push_back(one["logprob"].is_number() ? one["logprob"].get<float>() : NAN);
    else
      made.log_probs.push_back(std::log(field(one, "prob", "a newer server reports probabilities").get<float>()));
  }
  made.truncated = field(answer, "stop_type", "a newer server says how an answer ended") == "limit";
  return made;
}

}  // namespace

std::string server_name(ServerKind kind) {
  return kind == ServerKind::kVllm ? "vLLM" : kind == ServerKind::kSglang ? "SGLang" : "llama.cpp's server";
}

std::string server_root(const std::string& url) {
  std::string root = url;
  while (root.ends_with('/')) root.pop_back();
  if (root.ends_with("/v1")) root.resize(root.size() - 3);
  return root;
}

ServerKind find_server_kind(http::Client& client) {
  const auto has = [&](const char* route, const char* key) {
    const http::Reply reply = client.get(route);
    if (!reply.ok()) return false;
    const json answer = json::parse(reply.body, nullptr, /*allow_exceptions=*/false);
    return answer.is_object() && answer.contains(key);
  };
  if (has("/get_model_info", "model_path") || has("/model_info", "model_path")) return ServerKind::kSglang;
  if (has("/props", "default_generation_settings")) return ServerKind::kLlamaCpp;
  if (has("/version", "version")) return ServerKind::kVllm;
  throw Error(
      "the server is neither vLLM nor SGLang nor llama.cpp's", client.url(),
      "other servers do not report token ids with their log-probabilities, which make up the record of an answer",
      Error::Kind::kEnvironment);
}

ServerRequest completion_request(ServerKind kind, const std::vector<std::int32_t>& prompt,
                                 const proto::SamplingParameters& sampling, std::uint64_t seed,
                                 const std::string& model) {
  if (kind == ServerKind::kVllm) return {"/v1/completions", vllm_body(prompt, sampling, seed, model)};
  if (kind == ServerKind::kSglang) return {"/generate", sglang_body(prompt, sampling, seed)};
  return {"/completion", llama_cpp_body(prompt, sampling, seed)};
}

ServerCompletion completion_of(ServerKind kind, const json& answer, const proto::SamplingParameters& sampling) {
  ServerCompletion made;
  try {
    made = kind == ServerKind::kVllm     ? vllm_completion(answer)
           : kind == ServerKind::kSglang ? sglang_completion(answer)
                                         : llama_cpp_completion(answer);
  } catch (const json::exception& error) {
    refuse(std::string("the server's answer has an unknown form: ") + error.what(),
           "look for a newer kgtrain, or an older server");
  }
  if (made.tokens.empty()) refuse("the server's answer has no tokens", "look at the server's log");
  if (made.tokens.size() != made.log_probs.size())
    refuse("the server gives " + std::to_string(made.tokens.size()) + " tokens and " +
               std::to_string(made.log_probs.size()) + " log-probabilities",
           "look at the server's log");
  for (float& log_prob : made.log_probs) {
    if (is_greedy(sampling)) log_prob = 0;  // the token was certain
    if (!std::isfinite(log_prob) || log_prob > kRounding)
      refuse("the server gives the log-probability " + std::to_string(log_prob), "look at the server's log");
    log_prob = std::min(log_prob, 0.0f);
  }
  return made;
}

ServerRequest weights_request(const std::string& folder, std::uint64_t version) {
  return {"/update_weights_from_disk",
          {{"model_path", folder}, {"weight_version", std::to_string(version)}, {"abort_all_requests", false}}};
}

}  // namespace kg::policy
