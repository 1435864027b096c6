#pragma once

#include <string>

#include "base/error.h"
#include "proto/task.pb.h"
#include "proto/verdict.pb.h"
#include "reward/reward_config.h"

namespace kg::reward {

// Marks the reward as no result, for this reason.
void mark_invalid(proto::Verdict& verdict, const std::string& reason);
// Over the compared elements. A NaN stays once seen: it means that a non-finite value did not match.
void note_error(proto::Verdict& verdict, double absolute_error);
// Keeps the first reason why a rule was not applied to some case.
void note_skipped(proto::NumbersVerdict& numbers, int case_index, const std::string& why);

// The verdict on an answer that could not be judged at all, for example because of a sandbox fault: no result.
proto::Verdict verdict_unjudged(const proto::Task& task, const Error& error);
// The verdict on an answer without a kernel (stage `rejected`): it needs no sandbox.
proto::Verdict verdict_without_kernel(const proto::Task& task, const std::string& reason, const RewardConfig& reward);

}  // namespace kg::reward
