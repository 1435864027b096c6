#include "trainer/rl_update.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>

#include "trainer/answer_loss.h"

namespace kg::trainer {
namespace {

// One packed row with what the loss needs to know of its N answer tokens.
struct LossRow {
  PackedRow packed;
  std::int64_t tokens = 0;                // of its documents, each with its whole prompt
  at::Tensor sampler, advantage, weight;  // (N) fp32
  at::Tensor old, reference;              // (N) fp32, computed; undefined where not needed
};

std::vector<LossRow> make_rows(const RlBatch& batch, const UpdateOptions& options, at::Device device) {
  std::vector<std::int64_t> answer_lengths;
  std::vector<const Document*> documents;
  std::int64_t row_tokens = options.row_tokens;
  for (const TrainedAnswer& answer : batch.answers) {
    documents.push_back(&answer.document);
    row_tokens = std::max(row_tokens, static_cast<std::int64_t>(answer.document.ids.size()));
    answer_lengths.push_back(static_cast<std::int64_t>(answer.sampler_log_probs.size()));
  }
  const std::vector<double> weights = token_weights(answer_lengths, options.aggregation, options.token_limit);
  std::vector<LossRow> rows;
  for (const auto& members : pack_sharing_prompts(documents, row_tokens)) {
    std::vector<const Document*> row_documents;
    std::int64_t tokens = 0;
    for (const std::size_t member : members) {
      row_documents.push_back(documents[member]);
      tokens += static_cast<std::int64_t>(documents[member]->ids.size());
    }
    PackedRow packed = assemble_row(row_documents);
    std::vector<float> sampler, advantage, weight;
    for (const std::size_t place : packed.order) {
      const TrainedAnswer& answer = batch.answers[members[place]];
      sampler.insert(sampler.end(), answer.sampler_log_probs.begin(), answer.sampler_log_probs.end());
      advantage.insert(advantage.end(), answer.sampler_log_probs.size(), static_cast<float>(answer.advantage));
      weight.insert(weight.end(), answer.sampler_log_probs.size(), static_cast<float>(weights[members[place]]));
    }
    rows.push_back({.packed = std::move(packed),
                    .tokens = tokens,
                    .sampler = at::tensor(sampler).to(device),
                    .advantage = at::tensor(advantage).to(device),
                    .weight = at::tensor(weight).to(device)});
  }
  return rows;
}

// One update while it is computed.
struct Update {
  const Trainable& trainable;
  const UpdateOptions& options;
  UpdateResult result;
  double answer_tokens = 0, clipped = 0;
};

// The share of one row in the loss, differentiable. The first gradient step is the one that `result` tells of.
at::Tensor row_loss(Update& update, const LossRow& row, bool first_step) {
  const auto loss_of = [&](const at::Tensor& current, std::int64_t begin) {
    const auto part = [&](const at::Tensor& whole) {
      return whole.defined() ? whole.narrow(0, begin, current.numel()) : whole;
    };
    // With one gradient step the weights being trained are those at the start of the update: no pass before is needed.
    const PolicyLoss share = policy_loss({.current = current,
                                          .old = row.old.defined() ? part(row.old) : current.detach(),
                                          .sampler = part(row.sampler),
                                          .reference = part(row.reference),
                                          .advantage = part(row.advantage),
                                          .weight = part(row.weight)},
                                         update.options.loss);
    update.clipped += share.clipped_tokens;
    if (first_step) {
      update.result.kl += share.kl_sum;
      update.result.difference_mean += share.difference_sum / update.answer_tokens;
      update.result.difference_max = std::max(update.result.difference_max, share.difference_max);
    }
    return share.loss;
  };
  return answer_loss(update.trainable.model(), row.packed, update.options.sampling, loss_of);
}

}  // namespace

UpdateResult update_policy(Trainable& trainable, const policy::Transformer* reference, const RlBatch& batch,
                           const UpdateOptions& options) {
  Update update{.trainable = trainable, .options = options};
  UpdateResult& result = update.result;
  if (batch.answers.empty()) return result;
  std::vector<LossRow> rows = make_rows(batch, options, trainable.model().device());
  for (LossRow& row : rows) {
    update.answer_tokens += static_cast<double>(row.packed.targets.size());
    if (options.gradient_steps > 1) row.old = answer_log_probs(trainable.model(), row.packed, options.sampling);
    if (reference != nullptr) row.reference = answer_log_probs(*reference, row.packed, options.sampling);
  }
  for (std::int64_t step = 0; step < options.gradient_steps; ++step) {
    bool finite = true;
    for (const LossRow& row : rows) {
      const at::Tensor loss = row_loss(update, row, step == 0);
      const double value = loss.item<double>();
      finite = finite && std::isfinite(value);
      result.tokens += row.tokens;
      result.computed_tokens += static_cast<std::int64_t>(row.packed.ids.size());
      if (step == 0) result.policy_loss += value;
      if (!finite) break;
      trainable.accumulate(loss);
    }
    StepOutcome outcome;
    if (finite) {
      outcome = trainable.step(options.learning_rate, options.clip_norm);
    } else {
      trainable.discard_gradients();
      outcome.skipped = "the loss is not finite";
    }
    if (step == 0) result.gradient_norm = outcome.gradient_norm;
    if (outcome.skipped.empty()) {
      ++result.steps_taken;
    } else {
      ++result.steps_skipped;
      result.skipped = outcome.skipped;
    }
  }
  result.clip_fraction = update.clipped / (update.answer_tokens * static_cast<double>(options.gradient_steps));
  return result;
}

}  // namespace kg::trainer
