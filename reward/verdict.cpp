#include "reward/verdict.h"

#include <algorithm>
#include <cmath>

#include "reward/judge_version.h"

namespace kg::reward {

void mark_invalid(proto::Verdict& verdict, const std::string& reason) {
  verdict.set_reward_valid(false);
  verdict.set_invalid_reason(reason);
  verdict.set_reward(0);
}

void note_error(proto::Verdict& verdict, double absolute_error) {
  if (std::isnan(verdict.max_abs_error())) return;
  verdict.set_max_abs_error(std::isnan(absolute_error) ? absolute_error
                                                       : std::max(verdict.max_abs_error(), absolute_error));
}

void note_skipped(proto::NumbersVerdict& numbers, int case_index, const std::string& why) {
  if (numbers.skipped().empty()) numbers.set_skipped("case " + std::to_string(case_index) + ": " + why);
}

proto::Verdict verdict_unjudged(const proto::Task& task, const Error& error) {
  proto::Verdict verdict;
  verdict.set_task(task.id());
  verdict.set_judge_version(judge_version());
  verdict.set_sandbox_error(error.full_message());
  verdict.set_invalid_reason("it could not be judged");
  return verdict;
}

proto::Verdict verdict_without_kernel(const proto::Task& task, const std::string& reason, const RewardConfig& reward) {
  proto::Verdict verdict;
  verdict.set_task(task.id());
  verdict.set_judge_version(judge_version());
  verdict.set_stage(proto::REJECTED);
  verdict.set_cases_total(static_cast<std::uint32_t>(task.cases_size()));
  verdict.set_compiler_output(reason);
  verdict.set_reward_preset(reward.preset);
  verdict.set_reward_valid(true);
  verdict.set_reward(reward_of(verdict, reward));
  return verdict;
}

}  // namespace kg::reward
