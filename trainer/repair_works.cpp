#include "trainer/repair_works.h"

#include <algorithm>
#include <string>
#include <utility>

#include "dataset/store/feedback.h"
#include "policy/generation/prompt_tokens.h"
#include "proto/chat_message.h"

namespace kg::trainer {
namespace {

constexpr std::int64_t kTemplateTokens = 64;  // that a chat template puts around the user's words

std::string request_of(const proto::Rollout& failed, proto::SourceLanguage language) {
  const proto::Completion& completion = failed.completion();
  return dataset::repair_request(failed.verdict(),
                                 dataset::why_no_kernel(completion.text(), completion.truncated(), language), language);
}

}  // namespace

bool may_be_repaired(const proto::Rollout& rollout, const RepairLimits& limits) {
  const proto::Completion& completion = rollout.completion();
  if (!rollout.verdict().reward_valid() || rollout.verdict().correct() || rollout.turn() + 1 >= limits.turns ||
      completion.prompt_ids().empty() || completion.token_ids().empty())
    return false;
  const auto words = static_cast<std::int64_t>(request_of(rollout, limits.language).size());
  return completion.prompt_ids_size() + completion.token_ids_size() + words + kTemplateTokens + limits.max_new_tokens <=
         limits.context;
}

std::optional<FailedAnswer> answer_to_repair(const rollout::FinishedWork& group, std::int64_t update,
                                             const RepairLimits& limits) {
  const proto::Rollout* best = nullptr;
  for (const proto::Rollout& rollout : group.rollouts) {
    if (rollout.verdict().reward_valid() && rollout.verdict().correct()) return std::nullopt;
    if (may_be_repaired(rollout, limits) && (best == nullptr || rollout.verdict().reward() > best->verdict().reward()))
      best = &rollout;
  }
  if (best == nullptr) return std::nullopt;
  return FailedAnswer{.work_id = best->work_id(), .sample = best->sample(), .turn = best->turn(), .update = update};
}

void follow(rollout::Work& work, const proto::Rollout& failed, proto::SourceLanguage language) {
  const proto::Completion& completion = failed.completion();
  // The text of all turns before is one message: only what follows the last answer becomes tokens.
  work.messages = {proto::chat_message("user", failed.prompt()), proto::chat_message("assistant", completion.text()),
                   proto::chat_message("user", request_of(failed, language))};
  work.prefix_ids.assign(completion.prompt_ids().begin(), completion.prompt_ids().end());
  work.prefix_ids.insert(work.prefix_ids.end(), completion.token_ids().begin(), completion.token_ids().end());
  work.turn = failed.turn() + 1;
  work.after_work_id = failed.work_id();
  work.after_sample = failed.sample();
}

void require_turns(const policy::LoadedModel& model, std::int64_t turns) {
  if (turns < 2) return;
  proto::GenerateRequest request;
  for (const auto& [role, words] :
       {std::pair("user", "task"), std::pair("assistant", "answer"), std::pair("user", "repair it")})
    *request.add_messages() = proto::chat_message(role, words);
  request.add_prefix_ids(0);
  policy::prompt_tokens(model.chat_template, *model.tokenizer, request);
}

std::uint32_t turn_of(const rollout::FinishedWork& group) {
  return group.rollouts.empty() ? 0 : group.rollouts.front().turn();
}

}  // namespace kg::trainer
