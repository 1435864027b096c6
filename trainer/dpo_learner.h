#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "policy/files/model_io.h"
#include "trainer/dpo_options.h"
#include "trainer/preference_loss.h"
#include "trainer/preference_pairs.h"
#include "trainer/run_request.h"
#include "trainer/schedule.h"
#include "trainer/trainable.h"

namespace kg::trainer {

struct DpoStep {
  double loss = 0;      // mean over the pairs of the step
  double margin = 0;    // mean implicit reward difference, beta x (log-ratio of chosen - log-ratio of rejected)
  double accuracy = 0;  // share of the pairs with a positive margin
  double chosen = 0;    // mean log-probability per token of the chosen answers
  double kl = 0;        // kto: mean log-ratio over answers to other prompts
  std::int64_t tokens = 0;
  StepOutcome outcome;
};

// The policy, the pairs and the length of training: everything of dpo except its run folder. The log-probabilities of
// the starting model, to which the loss ties the policy, are computed once, before a checkpoint is loaded, so that no
// second model is held. `options` must outlive it.
class DpoLearner {
 public:
  DpoLearner(const DpoOptions& options, const RunRequest& request, policy::LoadedModel loaded, PreferenceData data);

  Trainable& trainable() { return trainable_; }
  const policy::LoadedModel& source() const { return loaded_; }  // without weights: the trainable has its own
  const PreferenceData& data() const { return data_; }
  std::int64_t steps() const { return schedule_.total_steps; }
  double rate(std::int64_t step) const { return learning_rate(schedule_, step); }
  nlohmann::json description() const;  // for config.json

  // Computes the starting model's log-probabilities. Call it before restore().
  void measure_reference();
  std::vector<std::size_t> next_pairs(DataPosition& position) { return order_.next(options_.pairs_per_step, position); }
  DpoStep step(const std::vector<std::size_t>& pairs, double rate);

 private:
  // Sums over each document's answer tokens with the current weights, in the given order.
  std::vector<double> log_probs(const std::vector<const Document*>& documents) const;
  std::vector<const Document*> documents_of(const std::vector<std::size_t>& pairs) const;  // chosen, rejected, in turn
  double mean_log_ratio_elsewhere(const std::vector<std::size_t>& pairs) const;

  const DpoOptions& options_;
  PreferenceOptions loss_;
  PreferenceData data_;
  std::vector<Document> elsewhere_;  // kto: the next pair's chosen answer under this pair's prompt
  policy::LoadedModel loaded_;
  Trainable trainable_;
  Schedule schedule_;
  DocumentOrder order_;
  std::vector<double> chosen_reference_, rejected_reference_, elsewhere_reference_;
};

// What loading the data needs to know about the model.
PreferenceData load_pairs(const dataset::Dataset& data, const DpoOptions& options, std::int64_t vocabulary);

}  // namespace kg::trainer
