#pragma once

#include <string>

#include "base/error.h"
#include "proto/record.pb.h"
#include "trainer/option_groups.h"

namespace kg::trainer {

// The sampling distribution given by a command's options.
inline proto::SamplingParameters sampling_of(const SamplingOptions& options) {
  proto::SamplingParameters sampling;
  sampling.set_temperature(static_cast<float>(options.temperature));
  sampling.set_top_k(options.top_k);
  sampling.set_top_p(static_cast<float>(options.top_p));
  sampling.set_min_p(static_cast<float>(options.min_p));
  sampling.set_max_new_tokens(static_cast<std::int32_t>(options.max_new_tokens));
  if (options.grammar != "off") sampling.set_grammar(options.grammar);
  return sampling;
}

// The answers must leave room for a prompt. `context`: the model's context length in tokens.
inline void refuse_long_answers(const SamplingOptions& options, std::int64_t context) {
  if (options.max_new_tokens < context) return;
  throw Error("answers of " + std::to_string(options.max_new_tokens) + " tokens leave no room for a prompt: the " +
                  "model's context holds " + std::to_string(context),
              "--max-new-tokens " + std::to_string(options.max_new_tokens), "512 is enough for most kernels");
}

// The grammars are those of the DSL.
inline void refuse_other_grammar(const SamplingOptions& options, const std::string& language) {
  if (options.grammar == "off" || language == "dsl") return;
  throw Error("--grammar " + options.grammar + " allows no answer in another language, but --language is " + language,
              "--grammar " + options.grammar, "add --language dsl, or leave --grammar out");
}

}  // namespace kg::trainer
