#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/generation/token_grammar.h"
#include "proto/record.pb.h"

namespace kg::policy {

struct Draw {
  std::int32_t token;
  float log_prob;                       // under the distribution it was drawn from; 0 if greedy
  std::vector<std::int32_t> kept = {};  // tokens that the filters kept, ascending; empty: the whole vocabulary
};

// Draws one token from one row of logits (V): the distribution of policy/distribution.h without autograd, in a fraction
// of a millisecond. `uniform` in [0, 1) decides; equal numbers give equal tokens. `previous`: tokens before it, for the
// repetition penalty. Greedy takes the first of equal maxima.
class Sampler {
 public:
  // `allowed`: the tokens a grammar allows; null: all. Filters apply to these.
  Draw draw(std::span<const float> logits, const proto::SamplingParameters& sampling, double uniform,
            std::span<const std::int32_t> previous, const TokenMask* allowed = nullptr);

 private:
  // Draws only from these tokens, which are few.
  Draw draw_few(std::span<const float> logits, std::vector<std::int32_t> tokens,
                const proto::SamplingParameters& sampling, double uniform);

  std::vector<float> row_, runs_, few_;
  std::vector<double> weights_;
  std::vector<bool> seen_;
};

}  // namespace kg::policy
