#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "policy/model/model.h"
#include "proto/kept_set.h"
#include "proto/record.pb.h"
#include "trainer/packing.h"

namespace kg::trainer {

proto::SamplingParameters plain_distribution();  // temperature 1, no filter: what SFT learns

// What the sampler's filters left of the vocabulary for each of a row's N answer tokens; null where it is not recorded.
// Empty where no filter is on.
using KeptSets = std::vector<const proto::KeptSet*>;

// A loss over the N answer tokens of a row that is a sum of functions of each token's own log-probability under the
// distribution of `sampling`; a token outside of what its filters leave has -infinity. `loss_of` gets log-probabilities
// (n, fp32) of tokens begin, begin + 1, ... and returns their share, a scalar. The output projection is computed at
// answer tokens alone, a few at a time.
at::Tensor answer_loss(const policy::Transformer& model, const PackedRow& row,
                       const proto::SamplingParameters& sampling, const KeptSets& kept,
                       const std::function<at::Tensor(const at::Tensor& log_prob, std::int64_t begin)>& loss_of);

// The log-probabilities (N, fp32) alone, without gradients.
at::Tensor answer_log_probs(const policy::Transformer& model, const PackedRow& row,
                            const proto::SamplingParameters& sampling, const KeptSets& kept = {});

}  // namespace kg::trainer
