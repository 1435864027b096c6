#include "trainer/dpo_learner.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "trainer/answer_loss.h"

namespace kg::trainer {
namespace {

std::int64_t answer_tokens(const Document& document) {
  return static_cast<std::int64_t>(document.ids.size()) - document.prompt_length;
}

// A packed row, and for each of its documents, in the row's order, the index that it was given under.
struct PairRow {
  PackedRow packed;
  std::vector<std::size_t> documents;
};

std::vector<PairRow> pack(const std::vector<const Document*>& documents, std::int64_t row_tokens) {
  for (const Document* document : documents)
    row_tokens = std::max(row_tokens, static_cast<std::int64_t>(document->ids.size()));
  std::vector<PairRow> rows;
  for (const auto& members : pack_sharing_prompts(documents, row_tokens)) {
    std::vector<const Document*> some;
    for (const std::size_t member : members) some.push_back(documents[member]);
    PairRow& row = rows.emplace_back();
    row.packed = assemble_row(some);
    for (const std::size_t place : row.packed.order) row.documents.push_back(members[place]);
  }
  return rows;
}

}  // namespace

PreferenceData load_pairs(const dataset::Dataset& data, const DpoOptions& options, std::int64_t vocabulary) {
  return load_preferences(
      data, options.from_run, vocabulary,
      {.per_prompt = options.pairs_per_prompt, .wrong_over_broken = options.wrong_over_broken, .seed = options.seed});
}

DpoLearner::DpoLearner(const DpoOptions& options, const RunRequest& request, policy::LoadedModel loaded,
                       PreferenceData data)
    : options_(options),
      loss_{.loss = preference_loss_from_name(options.loss),
            .beta = options.beta,
            .likelihood_weight = options.likelihood_weight,
            .undesirable_weight = options.undesirable_weight},
      data_(std::move(data)),
      loaded_(std::move(loaded)),
      trainable_(loaded_.config, loaded_.weights, request.dtype,
                 {.adamw = {.weight_decay = options.weight_decay},
                  .lora = lora_options(options),
                  .lora_seed = options.seed,
                  .recompute_layers = options.recompute_layers,
                  .device = request.device}),
      order_(std::vector<std::int64_t>(data_.records.size(), 1), options.seed) {
  loaded_.weights.clear();
  const auto pairs = static_cast<double>(data_.records.size());
  const std::int64_t steps =
      options.steps > 0 ? options.steps
                        : std::llround(std::ceil(options.epochs * pairs / static_cast<double>(options.pairs_per_step)));
  schedule_ = {.peak = options.learning_rate,
               .warmup_steps = std::llround(options.warmup * static_cast<double>(steps)),
               .total_steps = steps,
               .decay = options.decay,
               .final_ratio = options.final_learning_rate};
  for (std::size_t i = 0; loss_.loss == PreferenceLoss::kKto && i < data_.chosen.size(); ++i) {
    const Document& next = data_.chosen[(i + 1) % data_.chosen.size()];
    Document& mixed = elsewhere_.emplace_back(data_.chosen[i]);
    mixed.ids.resize(static_cast<std::size_t>(mixed.prompt_length));
    mixed.ids.insert(mixed.ids.end(), next.ids.begin() + next.prompt_length, next.ids.end());
  }
}

nlohmann::json DpoLearner::description() const {
  return {{"steps", steps()},
          {"pairs", data_.records.size()},
          {"answers", data_.answers},
          {"prompts", data_.prompts},
          {"pairs_fingerprint", data_.fingerprint}};
}

std::vector<double> DpoLearner::log_probs(const std::vector<const Document*>& documents) const {
  std::vector<double> sums(documents.size(), 0.0);
  for (const PairRow& row : pack(documents, options_.row_tokens)) {
    const at::Tensor tokens = answer_log_probs(trainable_.model(), row.packed, plain_distribution());  // (N)
    std::int64_t begin = 0;
    for (const std::size_t document : row.documents) {
      const std::int64_t count = answer_tokens(*documents[document]);
      sums[document] = tokens.narrow(0, begin, count).to(at::kDouble).sum().item<double>();
      begin += count;
    }
    KG_CHECK_EQ(begin, tokens.numel());
  }
  return sums;
}

void DpoLearner::measure_reference() {
  const auto all = [this](const std::vector<Document>& documents) {
    std::vector<double> sums;
    constexpr std::size_t kAtOnce = 64;  // documents that are packed together
    for (std::size_t begin = 0; begin < documents.size(); begin += kAtOnce) {
      std::vector<const Document*> some;
      for (std::size_t i = begin; i < std::min(begin + kAtOnce, documents.size()); ++i) some.push_back(&documents[i]);
      const std::vector<double> part = log_probs(some);
      sums.insert(sums.end(), part.begin(), part.end());
    }
    return sums;
  };
  chosen_reference_ = all(data_.chosen);
  rejected_reference_ = all(data_.rejected);
  elsewhere_reference_ = all(elsewhere_);
}

std::vector<const Document*> DpoLearner::documents_of(const std::vector<std::size_t>& pairs) const {
  std::vector<const Document*> documents;
  for (const std::size_t pair : pairs) {
    documents.push_back(&data_.chosen[pair]);
    documents.push_back(&data_.rejected[pair]);
  }
  return documents;
}

double DpoLearner::mean_log_ratio_elsewhere(const std::vector<std::size_t>& pairs) const {
  if (loss_.loss != PreferenceLoss::kKto) return 0;
  std::vector<const Document*> documents;
  for (const std::size_t pair : pairs) documents.push_back(&elsewhere_[pair]);
  const std::vector<double> policy = log_probs(documents);
  double sum = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) sum += policy[i] - elsewhere_reference_[pairs[i]];
  return std::max(0.0, sum / static_cast<double>(pairs.size()));
}

DpoStep DpoLearner::step(const std::vector<std::size_t>& pairs, double rate) {
  KG_CHECK_EQ(chosen_reference_.size(), data_.records.size());
  DpoStep result{.kl = mean_log_ratio_elsewhere(pairs)};
  const std::vector<const Document*> documents = documents_of(pairs);
  const std::vector<double> policy = log_probs(documents);
  const auto count = static_cast<double>(pairs.size());
  std::vector<double> factors;  // for each document: derivative of the step's loss by each of its tokens
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const AnswerLogProb chosen{policy[2 * i], chosen_reference_[pairs[i]], answer_tokens(*documents[2 * i])};
    const AnswerLogProb rejected{policy[2 * i + 1], rejected_reference_[pairs[i]],
                                 answer_tokens(*documents[2 * i + 1])};
    const PreferenceFactors pair = preference_factors(chosen, rejected, result.kl, loss_);
    factors.push_back(pair.chosen / count);
    factors.push_back(pair.rejected / count);
    result.loss += pair.loss / count;
    result.margin += loss_.beta * pair.margin / count;
    result.accuracy += (pair.margin > 0 ? 1 : 0) / count;
    result.chosen += chosen.policy / static_cast<double>(chosen.tokens) / count;
  }
  if (!std::isfinite(result.loss)) {
    result.outcome.skipped = "the loss is not finite";
    return result;
  }
  for (const PairRow& row : pack(documents, options_.row_tokens)) {
    std::vector<float> of_tokens;
    for (const std::size_t document : row.documents) {
      of_tokens.insert(of_tokens.end(), static_cast<std::size_t>(answer_tokens(*documents[document])),
                       static_cast<float>(factors[document]));
      result.tokens += static_cast<std::int64_t>(documents[document]->ids.size());
    }
    const at::Tensor factor = at::tensor(of_tokens).to(trainable_.model().device());  // (N)
    trainable_.accumulate(answer_loss(trainable_.model(), row.packed, plain_distribution(), /*kept=*/{},
                                      [&](const at::Tensor& log_prob, std::int64_t begin) {
                                        return (log_prob * factor.narrow(0, begin, log_prob.numel())).sum();
                                      }));
  }
  result.outcome = trainable_.step(rate, options_.clip_norm);
  return result;
}

}  // namespace kg::trainer
