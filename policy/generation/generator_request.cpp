#include "policy/generation/generator_request.h"

#include <algorithm>

#include "base/error.h"
#include "policy/generation/sampling_filter.h"
#include "policy/text/valid_utf8.h"

namespace kg::policy {

void check_request(const GenerationRequest& r, const ModelConfig& config, int cache_blocks) {
  const std::string where = "request " + std::to_string(r.request.request_id());
  const proto::SamplingParameters& sampling = r.request.sampling();
  check_sampling(sampling);
  if (r.request.count() == 0) throw Error("count is 0", where, "ask for at least one completion");
  if (sampling.max_new_tokens() <= 0)
    throw Error("max_new_tokens is " + std::to_string(sampling.max_new_tokens()), where, "give at least 1");
  if (r.prompt.empty()) throw Error("the prompt has no tokens", where, "give at least one message");
  const std::int64_t prompt = static_cast<std::int64_t>(r.prompt.size()), total = prompt + sampling.max_new_tokens();
  const std::string lengths = "the prompt has " + std::to_string(prompt) + " tokens and " +
                              std::to_string(sampling.max_new_tokens()) + " new ones are asked for, ";
  if (total > config.context)
    throw Error(lengths + "the model's context holds " + std::to_string(config.context), where,
                "shorten the prompt or lower max_new_tokens");
  if (r.prompt_blocks() + r.completion_blocks() > cache_blocks)
    throw Error(lengths + "the KV cache holds " + std::to_string(std::int64_t{cache_blocks} * kKvBlock), where,
                "give the generator a larger --kv-cache-mib");
  for (const std::int32_t id : r.prompt)
    if (id < 0 || id >= config.vocabulary)
      throw Error("token " + std::to_string(id) + " is outside the vocabulary of " + std::to_string(config.vocabulary),
                  where, "the tokenizer and the model must belong together");
}

bool contains_stop(const std::string& text, std::size_t fresh, const proto::SamplingParameters& sampling) {
  for (const std::string& stop : sampling.stop()) {
    if (stop.empty()) continue;
    const std::size_t known = text.size() - std::min(text.size(), fresh + stop.size() - 1);
    if (text.find(stop, known) != std::string::npos) return true;
  }
  return false;
}

proto::Completion finish_completion(const RunningCompletion& running, const std::string& text) {
  const GenerationRequest& r = *running.request;
  proto::Completion c;
  c.mutable_prompt_ids()->Add(r.prompt.begin(), r.prompt.end());
  c.mutable_token_ids()->Add(running.tokens.begin(), running.tokens.end());
  c.mutable_log_probs()->Add(running.log_probs.begin(), running.log_probs.end());
  const auto& versions = running.versions;
  const bool same =
      std::all_of(versions.begin(), versions.end(), [&](std::uint64_t v) { return v == versions.front(); });
  c.mutable_policy_versions()->Add(versions.begin(), same ? versions.begin() + 1 : versions.end());
  c.set_text(valid_utf8(text));
  c.set_truncated(running.truncated);
  *c.mutable_sampling() = r.request.sampling();
  c.set_kept(running.kept);
  return c;
}

}  // namespace kg::policy
