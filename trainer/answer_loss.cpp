#include "trainer/answer_loss.h"

#include <ATen/ops/tensor.h>
#include <c10/core/GradMode.h>

#include <span>

#include "policy/generation/distribution.h"
#include "policy/generation/sampling_filter.h"
#include "policy/model/token_log_prob.h"

namespace kg::trainer {
namespace {

at::Tensor answer_states(const policy::Transformer& model, const PackedRow& row) {
  const at::Tensor ids = at::tensor(row.ids).to(model.device());                     // (T)
  const at::Tensor hidden = model.hidden(ids, row.segments);                         // (T, C)
  return hidden.index_select(0, at::tensor(row.loss_positions).to(model.device()));  // (N, C)
}

// `sampling` and `kept` outlive it.
policy::TokenLogProbOptions distribution(const proto::SamplingParameters& sampling, const KeptSets& kept) {
  policy::TokenLogProbOptions options{.temperature = sampling.temperature()};
  if (policy::leaves_a_part(sampling))
    options.narrow = [&](const at::Tensor& logits, std::int64_t begin) {  // (n, V)
      const std::span all(kept);
      policy::keep_drawable(
          logits, sampling,
          kept.empty() ? all : all.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(logits.size(0))));
    };
  return options;
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
  return policy::token_loss(states, model.head_weight(), targets, distribution(sampling, kept), loss_of);
}

at::Tensor answer_log_probs(const policy::Transformer& model, const PackedRow& row,
                            const proto::SamplingParameters& sampling, const KeptSets& kept) {
  const at::NoGradGuard no_grad;
  const at::Tensor states = answer_states(model, row);                    // (N, C)
  const at::Tensor targets = at::tensor(row.targets).to(model.device());  // (N)
  return policy::token_log_prob(states, model.head_weight(), targets, distribution(sampling, kept)).log_prob;
}

}  // namespace kg::trainer
