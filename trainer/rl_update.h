#pragma once

#include <vector>

#include "policy/model/model.h"
#include "proto/record.pb.h"
#include "trainer/loss_rows.h"
#include "trainer/policy_loss.h"
#include "trainer/replicas.h"
#include "trainer/rl_batch.h"
#include "trainer/trainable.h"

namespace kg::trainer {

struct UpdateOptions {
  PolicyLossOptions loss;
  RowOptions rows;     // what goes through the model at once, and the weights of tokens
  AdvantageRule rule;  // for a divergence in the reward, which changes the advantages
  std::int64_t gradient_steps = 1;
  double learning_rate = 1e-6;
  double clip_norm = 1.0;
  proto::SamplingParameters sampling;  // that the answers were drawn with
  const Replicas* replicas = nullptr;  // that train together, all with the same batch; null: this process alone
};

struct UpdateResult {
  double policy_loss = 0;                          // of the first gradient step
  double kl = 0;                                   // k3, as trainer/policy_loss.h says
  double clip_fraction = 0;                        // over all gradient steps
  double corrected_fraction = 0;                   // tokens that the correction capped or masked, over all steps
  double difference_mean = 0, difference_max = 0;  // |trainer - sampler| log-probability before the update
  double gradient_norm = 0;                        // of the first gradient step
  std::int64_t tokens = 0;                         // trained on, each answer with its prompt
  std::int64_t computed_tokens = 0;  // that went through the model: a prompt once for its answers in a row
  std::int64_t answers_dropped = 0;  // with a token whose probability is no positive number, in the first step
  std::int64_t steps_taken = 0, steps_skipped = 0;
  std::string skipped;  // why, of the last one
};

// Gradient steps on one batch. `reference` is the model of the divergence, null if its weight is 0. Weights in the loss
// are those of all answers of the batch; answers without signal go through the model only for the divergence. An answer
// with a token whose log-probability is not finite is left out; the others are trained on. Of several processes
// each computes its share of the rows, and all get the same result.
UpdateResult update_policy(Trainable& trainable, const policy::Transformer* reference, RlBatch batch,
                           const UpdateOptions& options);

}  // namespace kg::trainer
