#include "rollout/result_check.h"

#include <algorithm>
#include <cmath>

#include "reward/reward_config.h"
#include "rollout/work_content.h"

namespace kg::rollout {
namespace {

constexpr std::uint32_t kLargestGroup = 4096;
constexpr int kMostPromptTokens = 4 << 20;
constexpr std::size_t kBytesOfAToken = 4096, kMostKeptBytesOfAToken = 64 << 10, kMostVerdictBytes = 4 << 20;
constexpr double kRounding = 1e-9;

// A sample of which there is no completion has no prompt.
bool begins_with(const google::protobuf::RepeatedField<std::int32_t>& prompt, const std::vector<std::int32_t>& prefix) {
  return prompt.empty() || (static_cast<std::size_t>(prompt.size()) > prefix.size() &&
                            std::equal(prefix.begin(), prefix.end(), prompt.begin()));
}

std::optional<Rejection> wrong_work(const CoordinatorState& state, const proto::Result& result) {
  const proto::Rollout& rollout = result.rollout();
  if (rollout.run() != state.options.run)
    return Rejection{"it is of run " + rollout.run() + ", this is run " + state.options.run};
  if (rollout.work_id() == 0 || rollout.work_id() >= state.counter.first_free())
    return Rejection{"work " + std::to_string(rollout.work_id()) + " was never given out", true};
  const Work* work = state.book.find(rollout.work_id());
  if (rollout.sample() >= (work != nullptr ? work->samples : kLargestGroup))
    return Rejection{"sample " + std::to_string(rollout.sample()) + " is beyond the group"};
  if (work == nullptr && !state.data.task(rollout.task()))
    return Rejection{"task " + rollout.task() + " is not in the data set"};
  if (work == nullptr) return std::nullopt;
  if (!begins_with(rollout.completion().prompt_ids(), work->prefix_ids))
    return Rejection{"its prompt does not begin with the tokens of the turns before"};
  if (state.book.content(rollout.work_id()) == content_of(rollout)) return std::nullopt;
  if (rollout.task() != work->task.id())
    return Rejection{"task " + rollout.task() + ", the work is task " + work->task.id()};
  return Rejection{"prompt, sampling, purpose or turn are not those of the work"};
}

std::optional<Rejection> wrong_lease(const CoordinatorState& state, const std::string& identity,
                                     const proto::Result& result) {
  const std::uint64_t lease_id = result.lease_id(), first = first_lease_of(state.lineage.number);
  if (lease_id < first && !state.lineage.first) return std::nullopt;  // of a coordinator before this one
  const std::string name = "lease " + std::to_string(lease_id);
  const auto record = state.leases.record(lease_id);
  if (!record) return Rejection{name + " was never given out, or too long ago"};
  if (record->worker != identity) return Rejection{name + " is another worker's", true};
  if (record->work_id != result.rollout().work_id())
    return Rejection{name + " is of work " + std::to_string(record->work_id), true};
  return std::nullopt;
}

std::optional<Rejection> wrong_version(const CoordinatorState& state, const proto::Result& result) {
  const proto::Rollout& rollout = result.rollout();
  const auto record = state.leases.record(result.lease_id());
  const std::uint64_t asked = record ? record->version : rollout.policy_version();
  const auto is_false = [&](std::uint64_t version) {
    return version < asked || (state.newest && version > state.newest->version());
  };
  const auto lie = [&](std::uint64_t version) {
    return Rejection{"policy version " + std::to_string(version) + ", the lease asked for " + std::to_string(asked) +
                         (state.newest ? " and the newest is " + std::to_string(state.newest->version()) : ""),
                     true};
  };
  if (is_false(rollout.policy_version())) return lie(rollout.policy_version());
  const Work* work = state.book.find(rollout.work_id());
  if (work != nullptr && !version_fits(*work, rollout))  // made for a learner that is no more, by its later weights
    return Rejection{"policy version " + std::to_string(number_of(rollout.policy_version())) + ", the work wants " +
                     std::to_string(work->oldest_version) + " to " + std::to_string(work->newest_version)};
  for (const std::uint64_t version : rollout.completion().policy_versions())
    if (is_false(version)) return lie(version);
  return std::nullopt;
}

std::optional<Rejection> wrong_size(const proto::Rollout& rollout) {
  const proto::Completion& completion = rollout.completion();
  const int tokens = completion.token_ids_size(), limit = completion.sampling().max_new_tokens();
  const auto many = static_cast<std::size_t>(std::max(tokens, limit)) + 16;
  const bool fits = completion.prompt_ids_size() <= kMostPromptTokens && (limit == 0 || tokens <= limit) &&
                    (completion.log_probs_size() == tokens || completion.log_probs_size() == 0) &&
                    completion.policy_versions_size() <= std::max(1, tokens) &&
                    (limit == 0 || completion.text().size() <= many * kBytesOfAToken) &&
                    completion.kept().size() <= many * kMostKeptBytesOfAToken &&
                    rollout.kernel().size() <= completion.text().size() + 16 && rollout.worker().size() <= 256 &&
                    rollout.verdict().ByteSizeLong() <= kMostVerdictBytes;
  if (fits) return std::nullopt;
  return Rejection{"its sizes do not fit together: " + std::to_string(tokens) + " tokens of at most " +
                       std::to_string(limit) + ", " + std::to_string(completion.log_probs_size()) +
                       " log-probabilities, a text of " + std::to_string(completion.text().size()) +
                       " bytes, a kernel of " + std::to_string(rollout.kernel().size()),
                   true};
}

std::optional<Rejection> wrong_number(const CoordinatorState& state, const proto::Rollout& rollout) {
  const proto::Verdict& verdict = rollout.verdict();
  if (!std::isfinite(verdict.reward()) || !std::isfinite(verdict.speedup()))
    return Rejection{"its reward or speed-up is not a finite number", true};
  for (const float log_prob : rollout.completion().log_probs())
    if (!std::isfinite(log_prob) || log_prob > 1e-3f)
      return Rejection{"a log-probability of " + std::to_string(log_prob), true};
  if (!std::isfinite(rollout.generate_ms()) || !std::isfinite(rollout.judge_ms()) || !std::isfinite(verdict.wall_ms()))
    return Rejection{"a time in it is not a finite number", true};
  if (!proto::Stage_IsValid(verdict.stage())) return Rejection{"a stage that there is not", true};
  if (!verdict.reward_valid()) return std::nullopt;
  const double wanted = reward::reward_of(verdict, state.options.reward);
  if (std::abs(wanted - verdict.reward()) <= kRounding * std::max(1.0, std::abs(wanted))) return std::nullopt;
  return Rejection{
      "a reward of " + std::to_string(verdict.reward()) + " for a verdict that is worth " + std::to_string(wanted),
      true};
}

}  // namespace

std::optional<Rejection> check_result(const CoordinatorState& state, const std::string& identity,
                                      const proto::Result& result) {
  if (auto wrong = wrong_work(state, result)) return wrong;
  if (auto wrong = wrong_lease(state, identity, result)) return wrong;
  if (auto wrong = wrong_version(state, result)) return wrong;
  if (auto wrong = wrong_size(result.rollout())) return wrong;
  return wrong_number(state, result.rollout());
}

}  // namespace kg::rollout
