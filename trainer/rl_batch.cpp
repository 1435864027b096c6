#include "trainer/rl_batch.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/error.h"
#include "rollout/lineage.h"

namespace kg::trainer {
namespace {

bool are_tokens(const google::protobuf::RepeatedField<std::int32_t>& ids, std::int64_t vocabulary) {
  return !ids.empty() &&
         std::all_of(ids.begin(), ids.end(), [&](std::int32_t id) { return id >= 0 && id < vocabulary; });
}

// The answer of a rollout that can be trained on: its reward counts and its record is whole.
std::optional<TrainedAnswer> trained_answer(const proto::Rollout& rollout, std::int64_t vocabulary) {
  const proto::Completion& completion = rollout.completion();
  const auto& log_probs = completion.log_probs();
  if (!rollout.verdict().reward_valid() || !std::isfinite(rollout.verdict().reward()) ||
      !are_tokens(completion.prompt_ids(), vocabulary) || !are_tokens(completion.token_ids(), vocabulary) ||
      log_probs.size() != completion.token_ids_size() ||
      !std::all_of(log_probs.begin(), log_probs.end(), [](float one) { return std::isfinite(one); }))
    return std::nullopt;
  TrainedAnswer answer;
  answer.document.ids.assign(completion.prompt_ids().begin(), completion.prompt_ids().end());
  answer.document.prompt_length = completion.prompt_ids_size();
  answer.document.ids.insert(answer.document.ids.end(), completion.token_ids().begin(), completion.token_ids().end());
  answer.sampler_log_probs.assign(log_probs.begin(), log_probs.end());
  if (completion.kept().empty()) return answer;
  try {
    answer.kept = proto::read_kept_sets(completion.kept(), static_cast<std::size_t>(log_probs.size()), vocabulary);
  } catch (const Error&) {
    return std::nullopt;
  }
  return answer;
}

// Versions of a lineage that has ended count from the same start (rollout/lineage.h); those that it published beyond
// the checkpoint are as far from the present weights as their numbers say.
double staleness_of(const proto::Rollout& rollout, std::uint64_t current_version) {
  const auto distance = [&](std::uint64_t version) {
    const std::uint64_t number = rollout::number_of(version);
    return static_cast<double>(std::max(number, current_version) - std::min(number, current_version));
  };
  double largest = distance(rollout.policy_version());
  for (const std::uint64_t version : rollout.completion().policy_versions())
    largest = std::max(largest, distance(version));
  return largest;
}

}  // namespace

void set_advantages(std::vector<TrainedAnswer>& answers, const AdvantageRule& rule) {
  std::vector<ScoredAnswer> scored;
  for (const TrainedAnswer& answer : answers) scored.push_back(answer.scored);
  std::vector<std::vector<double>> values = advantages(scored, rule);
  for (std::size_t i = 0; i < answers.size(); ++i)
    answers[i].advantages = answers[i].masked ? std::vector<double>{} : std::move(values[i]);
}

bool has_signal(const rollout::FinishedWork& work) {
  std::vector<double> rewards;
  for (const proto::Rollout& rollout : work.rollouts)
    if (rollout.verdict().reward_valid()) rewards.push_back(rollout.verdict().reward());
  return group_advantages(rewards, {}).has_value();
}

RlBatch make_batch(const std::vector<rollout::FinishedWork>& works, const BatchOptions& options,
                   std::uint64_t current_version, std::int64_t vocabulary) {
  RlBatch batch;
  for (const rollout::FinishedWork& work : works) {
    const std::uint32_t group = batch.groups++;
    for (const proto::Rollout& rollout : work.rollouts) {
      auto answer = trained_answer(rollout, vocabulary);
      if (!answer) {
        ++batch.invalid;
        continue;
      }
      const proto::Verdict& verdict = rollout.verdict();
      const std::int64_t tokens = rollout.completion().token_ids_size();
      answer->scored = {
          .group = group,
          .reward = verdict.reward() + overlong_penalty(tokens, options.token_limit, options.overlong_buffer),
          .correct = verdict.correct(),
          .tokens = tokens};
      answer->masked = options.mask_truncated && rollout.completion().truncated();
      batch.answers.push_back(std::move(*answer));
      ++batch.rollouts;
      batch.compiled += verdict.compiled() ? 1 : 0;
      batch.correct += verdict.correct() ? 1 : 0;
      batch.repairs += rollout.turn() > 0 ? 1 : 0;
      batch.repairs_correct += rollout.turn() > 0 && verdict.correct() ? 1 : 0;
      batch.truncated += rollout.completion().truncated() ? 1 : 0;
      batch.reward_sum += verdict.reward();
      batch.answer_tokens += tokens;
      for (const float log_prob : rollout.completion().log_probs()) batch.surprise_sum -= log_prob;
      const double staleness = staleness_of(rollout, current_version);
      batch.staleness_sum += staleness;
      batch.staleness_max = std::max(batch.staleness_max, staleness);
    }
  }
  set_advantages(batch.answers, options.rule);
  std::set<std::uint32_t> informative;
  for (const TrainedAnswer& answer : batch.answers)
    if (answer.has_signal()) informative.insert(answer.scored.group);
  batch.groups_without_signal = batch.groups - static_cast<std::uint32_t>(informative.size());
  if (options.drop_groups_without_signal)
    std::erase_if(batch.answers,
                  [&](const TrainedAnswer& answer) { return !informative.contains(answer.scored.group); });
  return batch;
}

}  // namespace kg::trainer
