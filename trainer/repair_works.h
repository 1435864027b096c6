#pragma once

#include <cstdint>
#include <optional>

#include "policy/files/model_io.h"
#include "proto/record.pb.h"
#include "rollout/coordinator.h"
#include "trainer/repair_buffer.h"

// Further turns of an episode: answer, verdict in words, repair. A repair is a work of its own, whose prompt begins
// with exactly the tokens of the turns before, so that several answers to it are a group with a baseline of its own.
namespace kg::trainer {

struct RepairLimits {
  std::uint32_t turns = 1;          // of an episode
  std::int64_t context = 0;         // tokens that the model takes
  std::int64_t max_new_tokens = 0;  // of a repair
  proto::SourceLanguage language = proto::ASCENDC;
};

// Whether the answer failed and may have another turn: its verdict counts, it has its tokens, and prompt, answer, the
// judge's words and the repair fit into the context, each byte of the words taken for a token.
bool may_be_repaired(const proto::Rollout& rollout, const RepairLimits& limits);

// The answer that is repaired of a group in which nothing is correct: the first of those with the highest reward.
std::optional<FailedAnswer> answer_to_repair(const rollout::FinishedWork& group, std::int64_t update,
                                             const RepairLimits& limits);

// `work`, made for the task of `failed`, asks for repairs of that answer from here on.
void follow(rollout::Work& work, const proto::Rollout& failed, proto::SourceLanguage language);

// Throws Error if the model cannot be asked for more than one turn: its chat template does not show earlier answers.
void require_turns(const policy::LoadedModel& model, std::int64_t turns);

// The turn of a group: 0 if it answers the task itself.
std::uint32_t turn_of(const rollout::FinishedWork& group);

}  // namespace kg::trainer
