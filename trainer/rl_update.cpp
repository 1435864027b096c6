#include "trainer/rl_update.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "trainer/answer_loss.h"

namespace kg::trainer {
namespace {

// One update while it is computed.
struct Update {
  const Trainable& trainable;
  const UpdateOptions& options;
  UpdateResult result;
  double answer_tokens = 0, clipped = 0, corrected = 0;
  std::int64_t answers = 0;
};

// What a row's pass through the model tells beside its loss.
struct RowReport {
  double clipped = 0, corrected = 0, kl = 0, difference_sum = 0, difference_max = 0;
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
                                          .weight = weight,
                                          .sequence_log_ratio = part(row.sequence_log_ratio),
                                          .sequence_correction = part(row.sequence_correction)},
                                         update.options.loss);
    report.clipped += share.clipped_tokens;
    report.corrected += share.corrected_tokens;
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
      update.corrected += report.corrected;
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

// Log-probabilities by the weights at the start of the update, by the reference model, and what follows from them for
// whole answers.
void compute_old(Update& update, const policy::Transformer* reference, std::vector<LossRow>& rows) {
  const UpdateOptions& options = update.options;
  const policy::Transformer& model = update.trainable.model();
  const bool needs_old = options.gradient_steps > 1 || options.loss.corrects_sequences() || options.loss.kl_in_reward;
  for (LossRow& row : rows) {
    if (needs_old) row.old = answer_log_probs(model, row.packed, options.sampling, row.kept);
    if (reference != nullptr) row.reference = answer_log_probs(*reference, row.packed, options.sampling, row.kept);
    if (options.loss.corrects_sequences())
      row.sequence_correction = over_answers(row, [&](std::int64_t begin, std::int64_t count) {
        const double number =
            sequence_correction(row.old.narrow(0, begin, count), row.sampler.narrow(0, begin, count), options.loss);
        return std::isfinite(number) ? number : 0;  // the answer is left out for its bad token
      });
  }
}

// Each answer's penalties come from the process whose row it is in.
void share_penalties(std::vector<TrainedAnswer>& answers, const Replicas* replicas) {
  if (replicas == nullptr || replicas->alone()) return;
  std::vector<double> all;  // of each answer whether some process has it, then its tokens
  for (const TrainedAnswer& answer : answers) {
    const std::vector<double>& penalty = answer.scored.penalty;
    all.push_back(penalty.empty() ? 0 : 1);
    all.insert(all.end(), penalty.begin(), penalty.end());
    all.insert(all.end(), answer.sampler_log_probs.size() - penalty.size(), 0.0);
  }
  all = replicas->sum(std::move(all));
  std::size_t at = 0;
  for (TrainedAnswer& answer : answers) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(at + 1);
    const std::size_t count = answer.sampler_log_probs.size();
    if (all[at] > 0) answer.scored.penalty.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
    at += 1 + count;
  }
}

// Takes the divergence of each token from the reward, and the advantages from what is left.
void penalise(const Update& update, RlBatch& batch, std::vector<LossRow>& rows) {
  for (const LossRow& row : rows) {
    const at::Tensor penalty = (kl_estimate(row.old, row.reference, KlEstimator::k1) * update.options.loss.kl_weight)
                                   .to(at::kCPU, at::kDouble)
                                   .contiguous();
    for_each_answer(row, [&](std::size_t answer, std::int64_t begin, std::int64_t count) {
      const double* first = penalty.const_data_ptr<double>() + begin;
      batch.answers[answer].scored.penalty.assign(first, first + count);
      for (double& one : batch.answers[answer].scored.penalty)
        if (!std::isfinite(one)) one = 0;  // the answer is left out for its bad token
    });
  }
  share_penalties(batch.answers, update.options.replicas);
  set_advantages(batch.answers, update.options.rule);
  set_advantages(rows, batch);
}

// Mean log-ratio of each answer under the present weights, which have moved since the start of the update.
void compute_sequence_ratios(const Update& update, std::vector<LossRow>& rows) {
  for (LossRow& row : rows) {
    const at::Tensor difference =
        answer_log_probs(update.trainable.model(), row.packed, update.options.sampling, row.kept) - row.old;  // (N)
    row.sequence_log_ratio = over_answers(row, [&](std::int64_t begin, std::int64_t count) {
      const double number = difference.narrow(0, begin, count).mean().item<double>();
      return std::isfinite(number) ? number : 0;  // the answer is left out for its bad token
    });
  }
}

// Every which row is this process's.
std::vector<LossRow> own_rows(std::vector<LossRow> rows, const Replicas* replicas) {
  if (replicas == nullptr || replicas->alone()) return rows;
  std::vector<LossRow> own;
  for (auto i = static_cast<std::size_t>(replicas->rank()); i < rows.size();
       i += static_cast<std::size_t>(replicas->size()))
    own.push_back(std::move(rows[i]));
  return own;
}

// What one process has found becomes what all have found. `finite`: of this process's rows.
void add_up(Update& update, bool& finite, bool first_step, const Replicas* replicas) {
  if (replicas == nullptr || replicas->alone()) return;
  UpdateResult& result = update.result;
  const double dropped = static_cast<double>(result.answers_dropped);
  const std::vector<double> sums =
      replicas->sum({finite ? 0.0 : 1.0, first_step ? result.policy_loss : 0, first_step ? result.kl : 0,
                     first_step ? result.difference_mean : 0, first_step ? dropped : 0});
  finite = sums[0] == 0;
  if (!first_step) return;
  result.policy_loss = sums[1];
  result.kl = sums[2];
  result.difference_mean = sums[3];
  result.answers_dropped = std::llround(sums[4]);
  result.difference_max = replicas->largest(result.difference_max);
}

// Of what is counted over all steps.
void add_up_at_end(Update& update, const Replicas* replicas) {
  if (replicas == nullptr || replicas->alone()) return;
  UpdateResult& result = update.result;
  const std::vector<double> sums = replicas->sum({update.clipped, update.corrected, static_cast<double>(result.tokens),
                                                  static_cast<double>(result.computed_tokens)});
  update.clipped = sums[0];
  update.corrected = sums[1];
  result.tokens = std::llround(sums[2]);
  result.computed_tokens = std::llround(sums[3]);
}

// The rows of this process through the model and back. False if the loss of one is not finite.
bool accumulate_rows(Update& update, std::vector<LossRow>& rows, Trainable& trainable, bool first_step) {
  for (LossRow& row : rows) {
    const at::Tensor loss = good_row_loss(update, row, first_step);
    const double value = loss.item<double>();
    update.result.tokens += row.tokens;
    update.result.computed_tokens += static_cast<std::int64_t>(row.packed.ids.size());
    if (first_step) update.result.policy_loss += value;
    if (!std::isfinite(value)) return false;
    trainable.accumulate(loss);
  }
  return true;
}

}  // namespace

UpdateResult update_policy(Trainable& trainable, const policy::Transformer* reference, RlBatch batch,
                           const UpdateOptions& options) {
  Update update{.trainable = trainable, .options = options};
  UpdateResult& result = update.result;
  std::vector<LossRow> rows = make_rows(batch, options.rows, reference != nullptr, trainable.model().device());
  if (rows.empty()) return result;
  for (const LossRow& row : rows) {
    update.answer_tokens += static_cast<double>(row.packed.targets.size());
    update.answers += static_cast<std::int64_t>(std::set(row.answers.begin(), row.answers.end()).size());
  }
  rows = own_rows(std::move(rows), options.replicas);
  compute_old(update, reference, rows);
  if (options.loss.kl_in_reward && reference != nullptr) penalise(update, batch, rows);
  for (std::int64_t step = 0; step < options.gradient_steps; ++step) {
    if (options.loss.ratio == RatioLevel::kSequence && step > 0) compute_sequence_ratios(update, rows);
    bool finite = accumulate_rows(update, rows, trainable, step == 0);
    add_up(update, finite, step == 0, options.replicas);
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
  add_up_at_end(update, options.replicas);
  const double passed = update.answer_tokens * static_cast<double>(options.gradient_steps);
  result.clip_fraction = update.clipped / passed;
  result.corrected_fraction = update.corrected / passed;
  return result;
}

}  // namespace kg::trainer
