#include "trainer/rl_batch.h"

#include <algorithm>

namespace kg::trainer {
namespace {

// A rollout can be trained on if its reward counts and its record is whole.
bool usable(const proto::Rollout& rollout) {
  const proto::Completion& completion = rollout.completion();
  return rollout.verdict().reward_valid() && completion.prompt_ids_size() > 0 && completion.token_ids_size() > 0 &&
         completion.log_probs_size() == completion.token_ids_size();
}

double staleness_of(const proto::Rollout& rollout, std::uint64_t current_version) {
  std::uint64_t oldest = rollout.policy_version();
  for (const std::uint64_t version : rollout.completion().policy_versions()) oldest = std::min(oldest, version);
  return current_version > oldest ? static_cast<double>(current_version - oldest) : 0;
}

}  // namespace

RlBatch make_batch(const std::vector<rollout::FinishedWork>& works, const AdvantageRule& rule,
                   std::uint64_t current_version) {
  RlBatch batch;
  for (const rollout::FinishedWork& work : works) {
    ++batch.groups;
    std::vector<const proto::Rollout*> group;
    std::vector<double> rewards;
    for (const proto::Rollout& rollout : work.rollouts) {
      if (!usable(rollout)) {
        ++batch.invalid;
        continue;
      }
      group.push_back(&rollout);
      rewards.push_back(rollout.verdict().reward());
      ++batch.rollouts;
      batch.compiled += rollout.verdict().compiled() ? 1 : 0;
      batch.correct += rollout.verdict().correct() ? 1 : 0;
      batch.truncated += rollout.completion().truncated() ? 1 : 0;
      batch.reward_sum += rewards.back();
      batch.answer_tokens += rollout.completion().token_ids_size();
      for (const float log_prob : rollout.completion().log_probs()) batch.surprise_sum -= log_prob;
      const double staleness = staleness_of(rollout, current_version);
      batch.staleness_sum += staleness;
      batch.staleness_max = std::max(batch.staleness_max, staleness);
    }
    const auto advantages = group_advantages(rewards, rule);
    if (!advantages) {
      ++batch.groups_without_signal;
      continue;
    }
    for (std::size_t i = 0; i < group.size(); ++i) {
      const proto::Completion& completion = group[i]->completion();
      TrainedAnswer answer;
      answer.document.ids.assign(completion.prompt_ids().begin(), completion.prompt_ids().end());
      answer.document.prompt_length = completion.prompt_ids_size();
      answer.document.ids.insert(answer.document.ids.end(), completion.token_ids().begin(),
                                 completion.token_ids().end());
      answer.sampler_log_probs.assign(completion.log_probs().begin(), completion.log_probs().end());
      answer.advantage = (*advantages)[i];
      batch.answers.push_back(std::move(answer));
    }
  }
  return batch;
}

}  // namespace kg::trainer
