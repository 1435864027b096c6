#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "proto/record.pb.h"

namespace kg::policy {

// The effect of top-k, top-p and min-p on a distribution. All three keep the most probable tokens, so together they
// are one number for each row: the logit below which a token is removed. Tokens exactly as probable as the last one
// kept are kept as well.
//
// Order, as in Hugging Face transformers: repetition penalty, temperature, top-k, top-p over what top-k kept (the
// smallest set of most probable tokens whose mass reaches top_p), min-p relative to the most probable token.

// Throws Error naming the parameter, its value and the allowed values.
void check_sampling(const proto::SamplingParameters& sampling);

inline bool is_greedy(const proto::SamplingParameters& s) { return s.temperature() == 0; }
inline bool has_filter(const proto::SamplingParameters& s) {
  return s.top_k() > 0 || (s.top_p() > 0 && s.top_p() < 1) || s.min_p() > 0;
}
inline bool has_penalty(const proto::SamplingParameters& s) {
  return s.repetition_penalty() != 0 && s.repetition_penalty() != 1;
}

// Whether a draw keeps only a part of the vocabulary, which must be recorded with it (proto/kept_set.h).
inline bool leaves_a_part(const proto::SamplingParameters& s) {
  return (has_filter(s) || !s.grammar().empty()) && !is_greedy(s);
}

// The cut-off of one row; `logits` before temperature, after the penalty. -inf if no filter is on.
float filter_cutoff(std::span<const float> logits, const proto::SamplingParameters& sampling);

// Repetition penalty (Keskar et al., CTRL, 2019) on one logit of a token that has appeared before.
inline float penalised(float logit, float penalty) { return logit > 0 ? logit / penalty : logit * penalty; }

}  // namespace kg::policy
