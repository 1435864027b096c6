#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "proto/kept_set.h"
#include "proto/record.pb.h"

namespace kg::policy {

// The distribution that tokens are drawn from, in plain operations: the sampler is held against it. The trainer
// computes the same from keep_drawable(). logits (N, V) fp32; returns log-probabilities (N, V), -inf for tokens that
// the filters remove. Differentiable. At temperature 0 all mass is on the maximum and nothing is differentiable. The
// filters are defined in policy/sampling_filter.h. `previous` (for the repetition penalty): for each row the tokens
// before it; may be empty if the penalty is off.
at::Tensor sampling_log_probs(const at::Tensor& logits, const proto::SamplingParameters& sampling,
                              const std::vector<std::vector<std::int32_t>>& previous = {});

// Sets the logits (N, V) fp32, contiguous, of tokens that cannot be drawn to -infinity. `kept`: which tokens the
// sampler has recorded that its filters kept (proto/kept_set.h), one set for each row; null, or the span empty, if it
// has not, and such a row is filtered by its own logits. So a drawn token is never a removed one, even though the
// trainer's logits differ a little from the sampler's. Not for a repetition penalty or temperature 0.
void keep_drawable(const at::Tensor& logits, const proto::SamplingParameters& sampling,
                   std::span<const proto::KeptSet* const> kept);

}  // namespace kg::policy
