#pragma once

#include <string>

#include "base/error.h"
#include "proto/task.pb.h"
#include "proto/verdict.pb.h"
#include "reward/reward_config.h"

namespace kg::reward {

// The reward is no result, for this reason.
void mark_invalid(proto::Verdict& verdict, const std::string& reason);
// Of the compared elements. A NaN, once seen, stays: it means that a non-finite value did not match.
void note_error(proto::Verdict& verdict, double absolute_error);
// Keeps the first reason why a rule was not applied to some case.
void note_skipped(proto::NumbersVerdict& numbers, int case_index, const std::string& why);

// The verdict of an answer that could not be judged at all, as by a sandbox fault: no result.
proto::Verdict verdict_unjudged(const proto::Task& task, const Error& error);
// The verdict of an answer in which no kernel was found (stage `rejected`): no sandbox is needed for it.
proto::Verdict verdict_without_kernel(const proto::Task& task, const std::string& reason, const RewardConfig& reward);

}  // namespace kg::reward
