#pragma once

#include "proto/record.pb.h"
#include "trainer/option_groups.h"

namespace kg::trainer {

// The distribution that the options of a command ask for.
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

}  // namespace kg::trainer
