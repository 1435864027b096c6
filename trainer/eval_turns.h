#pragma once

#include <cstdint>
#include <vector>

#include "rollout/coordinator.h"
#include "trainer/eval_options.h"
#include "trainer/rollout_source.h"
#include "trainer/run.h"

namespace kg::trainer {

// The further turns of an evaluation: each first answer that failed is repaired, once a turn, until an answer is
// correct or --turns are over. Then fresh answers to its task are drawn, one after the other, until they have as many
// tokens as its repairs. All of them are stored, under purposes of their own (evaluation/turn_gain.h), and what is
// stored already is not made again. `first`: the groups of the first turn; `context`: tokens that the model takes.
// False if a stop was requested before the end.
bool take_further_turns(const EvalOptions& options, const std::vector<rollout::FinishedWork>& first,
                        std::int64_t context, RolloutSource& source, Run& run);

}  // namespace kg::trainer
