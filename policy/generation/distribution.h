#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "proto/record.pb.h"

namespace kg::policy {

// The distribution that tokens are drawn from, and under which the trainer computes log-probabilities: one definition
// for both. logits (N, V) fp32; returns log-probabilities (N, V), -inf for tokens that the filters remove.
// Differentiable. At temperature 0 all mass is on the maximum and nothing is differentiable. The filters are defined in
// policy/sampling_filter.h. `previous` (for the repetition penalty): for each row the tokens before it; may be empty if
// the penalty is off.
at::Tensor sampling_log_probs(const at::Tensor& logits, const proto::SamplingParameters& sampling,
                              const std::vector<std::vector<std::int32_t>>& previous = {});

}  // namespace kg::policy
