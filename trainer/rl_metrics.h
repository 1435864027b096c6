#pragma once

#include <nlohmann/json.hpp>

#include "trainer/checkpoint.h"
#include "trainer/rl_batch.h"
#include "trainer/rl_update.h"

namespace kg::trainer {

// The line of metrics.jsonl that an update leaves. Rates and the mean reward count rollouts with a valid reward, null
// if there is none. "entropy" (nats a token) is estimated from the samples, by the mean of -log of the probability that
// each token was drawn with; "answer_tokens" is an answer's mean length. With repairs among the rollouts
// "first_correct_rate" and "repair_correct_rate" are the rates of first turns and of further ones.
nlohmann::json rl_metrics(const RunState& state, const RlBatch& batch, const UpdateResult& update, double rate,
                          double generate_seconds, double train_seconds);

// What status.json says of the coordinator while the run waits for rollouts; "nodes": of each node (of the learner's
// host "local") the workers that are connected and the results stored since the learner started.
nlohmann::json status_of(const rollout::CoordinatorStats& stats);

}  // namespace kg::trainer
