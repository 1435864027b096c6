#include "trainer/answer_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/tensor.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <span>

#include "policy/generation/distribution.h"
#include "policy/generation/sampling_filter.h"
#include "policy/model/token_log_prob.h"

namespace kg::trainer {
namespace {

constexpr std::int64_t kFilteredChunk = 64;  // rows of logits held by each chunk's graph where filters are on

at::Tensor answer_states(const policy::Transformer& model, const PackedRow& row) {
  const at::Tensor ids = at::tensor(row.ids).to(model.device());                     // (T)
  const at::Tensor hidden = model.hidden(ids, row.segments);                         // (T, C)
  return hidden.index_select(0, at::tensor(row.loss_positions).to(model.device()));  // (N, C)
}

// Of tokens begin to begin + count.
at::Tensor filtered_log_probs(const at::Tensor& states, const at::Tensor& head, const at::Tensor& targets,
                              const proto::SamplingParameters& sampling, const KeptSets& kept, std::int64_t begin,
                              std::int64_t count) {
  const at::Tensor logits = at::linear(states.narrow(0, begin, count), head).to(at::kFloat);  // (n, V)
  const at::Tensor log_probs =
      kept.empty() ? policy::sampling_log_probs(logits, sampling)
                   : policy::kept_log_probs(logits, sampling,
                                            std::span(kept).subspan(static_cast<std::size_t>(begin),
                                                                    static_cast<std::size_t>(count)));  // (n, V)
  return log_probs.gather(1, targets.narrow(0, begin, count).unsqueeze(1)).squeeze(1);                  // (n)
}

}  // namespace

proto::SamplingParameters plain_distribution() {
  proto::SamplingParameters sampling;
  sampling.set_temperature(1);
  return sampling;
}

at::Tensor answer_loss(const policy::Transformer& model, const PackedRow& row,
                       const proto::SamplingParameters& sampling, const KeptSets& kept,
                       const std::function<at::Tensor(const at::Tensor& log_prob, std::int64_t begin)>& loss_of) {
  const at::Tensor states = answer_states(model, row);                    // (N, C)
  const at::Tensor targets = at::tensor(row.targets).to(model.device());  // (N)
  if (!policy::leaves_a_part(sampling))
    return policy::token_loss(states, model.head_weight(), targets, {.temperature = sampling.temperature()}, loss_of);
  at::Tensor loss;
  for (std::int64_t begin = 0; begin < states.size(0); begin += kFilteredChunk) {
    const std::int64_t count = std::min(kFilteredChunk, states.size(0) - begin);
    const at::Tensor share =
        loss_of(filtered_log_probs(states, model.head_weight(), targets, sampling, kept, begin, count), begin);
    loss = loss.defined() ? loss + share : share;
  }
  return loss;
}

at::Tensor answer_log_probs(const policy::Transformer& model, const PackedRow& row,
                            const proto::SamplingParameters& sampling, const KeptSets& kept) {
  const at::NoGradGuard no_grad;
  const at::Tensor states = answer_states(model, row);                    // (N, C)
  const at::Tensor targets = at::tensor(row.targets).to(model.device());  // (N)
  if (!policy::leaves_a_part(sampling))
    return policy::token_log_prob(states, model.head_weight(), targets, {.temperature = sampling.temperature()})
        .log_prob;
  std::vector<at::Tensor> parts;
  for (std::int64_t begin = 0; begin < states.size(0); begin += kFilteredChunk) {
    const std::int64_t count = std::min(kFilteredChunk, states.size(0) - begin);
    parts.push_back(filtered_log_probs(states, model.head_weight(), targets, sampling, kept, begin, count));
  }
  return at::cat(parts);
}

}  // namespace kg::trainer
