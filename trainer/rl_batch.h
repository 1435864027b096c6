#pragma once

#include <cstdint>
#include <vector>

#include "proto/kept_set.h"
#include "rollout/coordinator.h"
#include "trainer/advantage.h"
#include "trainer/packing.h"

namespace kg::trainer {

// One answer as it is trained on.
struct TrainedAnswer {
  Document document;                     // prompt and answer tokens as sampled
  std::vector<float> sampler_log_probs;  // of the answer tokens
  std::vector<proto::KeptSet> kept;      // of the answer tokens; empty: no filter, or not recorded
  ScoredAnswer scored;                   // reward with the overlong penalty; no penalties of tokens
  bool masked = false;                   // cut off at the token limit, and such answers are not trained on
  std::vector<double> advantages;        // of each token, or one of all; empty: only a divergence in the loss trains it

  bool has_signal() const { return !advantages.empty(); }
};

struct BatchOptions {
  AdvantageRule rule;
  std::int64_t token_limit = 512;
  std::int64_t overlong_buffer = 0;         // of the soft overlong penalty; 0: none
  bool mask_truncated = false;              // answers that were cut off teach nothing, but count in their group
  bool drop_groups_without_signal = false;  // others were made in their place
};

// What the rollouts of one update say, and what of them is trained on.
struct RlBatch {
  std::vector<TrainedAnswer> answers;  // with a valid reward, in order of work and sample
  std::uint32_t groups = 0, groups_without_signal = 0;
  std::uint32_t rollouts = 0, compiled = 0, correct = 0, truncated = 0;  // with a valid reward
  std::uint32_t repairs = 0, repairs_correct = 0;  // of the rollouts and the correct ones: of further turns
  std::uint32_t invalid = 0;                       // without one: never trained on, never counted as a reward of 0
  double reward_sum = 0;
  std::int64_t answer_tokens = 0;               // of all rollouts
  double surprise_sum = 0;                      // of all answer tokens: -log of the probability each was drawn with
  double staleness_sum = 0, staleness_max = 0;  // updates between the weights that sampled and those trained
};

// `current_version`: the learner's number of the weights to be trained. `vocabulary`: of the model; a rollout whose
// tokens are not of it is invalid.
RlBatch make_batch(const std::vector<rollout::FinishedWork>& works, const BatchOptions& options,
                   std::uint64_t current_version, std::int64_t vocabulary);

// Whether the rewards within the group differ, so that no refill has to replace the group.
bool has_signal(const rollout::FinishedWork& work);

// Advantages from the answers' rewards, and from the penalties in `scored` where there are some.
void set_advantages(std::vector<TrainedAnswer>& answers, const AdvantageRule& rule);

}  // namespace kg::trainer
