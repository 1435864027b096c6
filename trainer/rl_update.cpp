#include "trainer/rl_update.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "trainer/answer_loss.h"

namespace kg::trainer {
namespace {

// One packed row with what the loss needs to know of its N answer tokens.
struct LossRow {
  PackedRow packed;
  std::int64_t tokens = 0;                // of its documents, each with its whole prompt
  at::Tensor sampler, advantage, weight;  // (N) fp32; weight 0: of an answer that was left out
  std::vector<std::int64_t> answers;      // (N) each token's answer, by its number in the batch
  KeptSets kept;                          // (N), empty if no answer has them
  at::Tensor old, reference;              // (N) fp32, computed; undefined where not needed
};

// Rows of the answers that have something to teach: all of them where there is a KL term.
std::vector<LossRow> make_rows(const RlBatch& batch, const UpdateOptions& options, bool all, at::Device device) {
  std::vector<std::int64_t> answer_lengths;
  std::vector<const Document*> documents;
  std::vector<std::size_t> numbers;  // of the documents' answers
  std::int64_t row_tokens = options.row_tokens;
  for (std::size_t i = 0; i < batch.answers.size(); ++i) {
    const TrainedAnswer& answer = batch.answers[i];
    answer_lengths.push_back(static_cast<std::int64_t>(answer.sampler_log_probs.size()));
    if (!all && !answer.has_signal) continue;
    documents.push_back(&answer.document);
    numbers.push_back(i);
    row_tokens = std::max(row_tokens, static_cast<std::int64_t>(answer.document.ids.size()));
  }
  const std::vector<double> weights = token_weights(answer_lengths, options.aggregation, options.token_limit);
  const bool some_kept = std::any_of(batch.answers.begin(), batch.answers.end(),
                                     [](const TrainedAnswer& answer) { return !answer.kept.empty(); });
  std::vector<LossRow> rows;
  if (documents.empty()) return rows;
  for (const auto& members : pack_sharing_prompts(documents, row_tokens)) {
    std::vector<const Document*> row_documents;
    std::int64_t tokens = 0;
    for (const std::size_t member : members) {
      row_documents.push_back(documents[member]);
      tokens += static_cast<std::int64_t>(documents[member]->ids.size());
    }
    PackedRow packed = assemble_row(row_documents);
    std::vector<float> sampler, advantage, weight;
    std::vector<std::int64_t> answers;
    KeptSets kept;
    for (const std::size_t place : packed.order) {
      const std::size_t number = numbers[members[place]];
      const TrainedAnswer& answer = batch.answers[number];
      const std::size_t count = answer.sampler_log_probs.size();
      sampler.insert(sampler.end(), answer.sampler_log_probs.begin(), answer.sampler_log_probs.end());
      advantage.insert(advantage.end(), count, static_cast<float>(answer.advantage));
      weight.insert(weight.end(), count, static_cast<float>(weights[number]));
      answers.insert(answers.end(), count, static_cast<std::int64_t>(number));
      for (std::size_t i = 0; some_kept && i < count; ++i)
        kept.push_back(answer.kept.empty() ? nullptr : &answer.kept[i]);
    }
    rows.push_back({.packed = std::move(packed),
                    .tokens = tokens,
                    .sampler = at::tensor(sampler).to(device),
                    .advantage = at::tensor(advantage).to(device),
                    .weight = at::tensor(weight).to(device),
                    .answers = std::move(answers),
                    .kept = std::move(kept)});
  }
  return rows;
}

// One update while it is computed.
struct Update {
  const Trainable& trainable;
  const UpdateOptions& options;
  UpdateResult result;
  double answer_tokens = 0, clipped = 0;
  std::int64_t answers = 0;
};

// What a row's pass through the model tells beside its loss.
struct RowReport {
  double clipped = 0, kl = 0, difference_sum = 0, difference_max = 0;
  std::set<std::int64_t> bad;  // answers with a token whose log-probability is not finite
};

at::Tensor part_of(const at::Tensor& whole, std::int64_t begin, std::int64_t count) {
  return whole.defined() ? whole.narrow(0, begin, count) : whole;
}

void note_bad_tokens(const at::Tensor& good, const LossRow& row, std::int64_t begin, std::set<std::int64_t>& bad) {
  const at::Tensor flags = good.to(at::kCPU).contiguous();  // (n) bool
  const at::Tensor weights = part_of(row.weight, begin, good.numel()).to(at::kCPU).contiguous();
  for (std::int64_t i = 0; i < flags.numel(); ++i)
    if (!flags.const_data_ptr<bool>()[i] && weights.const_data_ptr<float>()[i] != 0)
      bad.insert(row.answers[static_cast<std::size_t>(begin + i)]);
}

// The share of one row in the loss, differentiable.
at::Tensor row_loss(const Update& update, const LossRow& row, RowReport& report) {
  const auto loss_of = [&](const at::Tensor& computed, std::int64_t begin) {
    const auto part = [&](const at::Tensor& whole) { return part_of(whole, begin, computed.numel()); };
    const at::Tensor sampler = part(row.sampler), reference = part(row.reference);  // (n)
    // With one gradient step the weights being trained are those at the start of the update: no pass before is needed.
    at::Tensor old = row.old.defined() ? part(row.old) : computed.detach();  // (n)
    at::Tensor good = at::isfinite(computed.detach()).logical_and(at::isfinite(old));
    if (reference.defined()) good = good.logical_and(at::isfinite(reference));
    at::Tensor current = computed, weight = part(row.weight), known = reference;
    if (!good.all().item<bool>()) {
      note_bad_tokens(good, row, begin, report.bad);
      current = at::where(good, computed, sampler);
      old = at::where(good, old, sampler);
      if (reference.defined()) known = at::where(good, reference, sampler);
      weight = weight * good;
    }
    const PolicyLoss share = policy_loss({.current = current,
                                          .old = old,
                                          .sampler = sampler,
                                          .reference = known,
                                          .advantage = part(row.advantage),
                                          .weight = weight},
                                         update.options.loss);
    report.clipped += share.clipped_tokens;
    report.kl += share.kl_sum;
    report.difference_sum += share.difference_sum;
    report.difference_max = std::max(report.difference_max, share.difference_max);
    return share.loss;
  };
  return answer_loss(update.trainable.model(), row.packed, update.options.sampling, row.kept, loss_of);
}

// The same without the answers that cannot be trained on: one bad token costs its answer, not the update.
at::Tensor good_row_loss(Update& update, LossRow& row, bool first_step) {
  for (;;) {
    RowReport report;
    at::Tensor loss = row_loss(update, row, report);
    if (report.bad.empty()) {
      update.clipped += report.clipped;
      if (first_step) {
        update.result.kl += report.kl;
        update.result.difference_mean += report.difference_sum / update.answer_tokens;
        update.result.difference_max = std::max(update.result.difference_max, report.difference_max);
      }
      return loss;
    }
    if (first_step) update.result.answers_dropped += static_cast<std::int64_t>(report.bad.size());
    at::Tensor weight = row.weight.to(at::kCPU).clone();
    for (std::size_t i = 0; i < row.answers.size(); ++i)
      if (report.bad.contains(row.answers[i])) weight.data_ptr<float>()[i] = 0;
    row.weight = weight.to(row.weight.device());
  }
}

}  // namespace

UpdateResult update_policy(Trainable& trainable, const policy::Transformer* reference, const RlBatch& batch,
                           const UpdateOptions& options) {
  Update update{.trainable = trainable, .options = options};
  UpdateResult& result = update.result;
  std::vector<LossRow> rows = make_rows(batch, options, reference != nullptr, trainable.model().device());
  if (rows.empty()) return result;
  for (LossRow& row : rows) {
    update.answer_tokens += static_cast<double>(row.packed.targets.size());
    update.answers += static_cast<std::int64_t>(std::set(row.answers.begin(), row.answers.end()).size());
    if (options.gradient_steps > 1)
      row.old = answer_log_probs(trainable.model(), row.packed, options.sampling, row.kept);
    if (reference != nullptr) row.reference = answer_log_probs(*reference, row.packed, options.sampling, row.kept);
  }
  for (std::int64_t step = 0; step < options.gradient_steps; ++step) {
    bool finite = true;
    for (LossRow& row : rows) {
      const at::Tensor loss = good_row_loss(update, row, step == 0);
      const double value = loss.item<double>();
      finite = finite && std::isfinite(value);
      result.tokens += row.tokens;
      result.computed_tokens += static_cast<std::int64_t>(row.packed.ids.size());
      if (step == 0) result.policy_loss += value;
      if (!finite) break;
      trainable.accumulate(loss);
    }
    StepOutcome outcome;
    if (result.answers_dropped > 0 && result.answers_dropped == update.answers) {
      trainable.discard_gradients();
      outcome.skipped = "no answer has finite log-probabilities";
    } else if (finite) {
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
