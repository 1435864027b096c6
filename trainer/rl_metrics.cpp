#include "trainer/rl_metrics.h"

#include <algorithm>

namespace kg::trainer {

nlohmann::json rl_metrics(const RunState& state, const RlBatch& batch, const UpdateResult& update, double rate,
                          double generate_seconds, double train_seconds) {
  const double rollouts = std::max(1u, batch.rollouts);
  const auto tokens = static_cast<double>(batch.answer_tokens);
  nlohmann::json line = {
      {"step", state.step},
      {"reward_mean", batch.rollouts > 0 ? nlohmann::json(batch.reward_sum / rollouts) : nlohmann::json()},
      {"compile_rate", batch.rollouts > 0 ? nlohmann::json(batch.compiled / rollouts) : nlohmann::json()},
      {"correct_rate", batch.rollouts > 0 ? nlohmann::json(batch.correct / rollouts) : nlohmann::json()},
      {"truncated_rate", batch.truncated / rollouts},
      {"rollouts", batch.rollouts},
      {"invalid", batch.invalid},
      {"entropy", batch.answer_tokens > 0 ? nlohmann::json(batch.surprise_sum / tokens) : nlohmann::json()},
      {"answer_tokens", tokens / rollouts},
      {"policy_loss", update.policy_loss},
      {"kl", update.kl},
      {"clip_fraction", update.clip_fraction},
      {"corrected_fraction", update.corrected_fraction},
      {"answers_dropped", update.answers_dropped},
      {"log_prob_difference", update.difference_mean},
      {"log_prob_difference_max", update.difference_max},
      {"grad_norm", update.gradient_norm},
      {"learning_rate", rate},
      {"groups", batch.groups},
      {"groups_without_signal", batch.groups_without_signal},
      {"staleness", batch.staleness_sum / rollouts},
      {"staleness_max", batch.staleness_max},
      {"policy_version", state.weights_version},
      {"tokens", state.tokens},
      {"tokens_per_second", tokens / (generate_seconds + train_seconds)},
      {"generate_seconds", generate_seconds},
      {"train_seconds", train_seconds},
      {"train_tokens_per_second", train_seconds > 0 ? static_cast<double>(update.tokens) / train_seconds : 0},
      {"train_computed_tokens", update.computed_tokens},
      {"skipped_steps", state.skipped_steps}};
  if (batch.repairs == 0) return line;
  const std::uint32_t first = batch.rollouts - batch.repairs;
  line["repairs"] = batch.repairs;
  line["repair_correct_rate"] = static_cast<double>(batch.repairs_correct) / batch.repairs;
  if (first > 0) line["first_correct_rate"] = static_cast<double>(batch.correct - batch.repairs_correct) / first;
  return line;
}

nlohmann::json status_of(const rollout::CoordinatorStats& stats) {
  nlohmann::json nodes = nlohmann::json::object();
  for (const auto& [name, node] : stats.nodes) nodes[name] = {{"workers", node.workers}, {"results", node.results}};
  return {{"workers", stats.workers},
          {"leases", stats.leases},
          {"waiting_work", stats.waiting_work},
          {"results", stats.results},
          {"returned_leases", stats.returned_leases},
          {"given_up", stats.given_up},
          {"checked_verdicts", stats.checked},
          {"unchecked_results", stats.unchecked},
          {"false_verdicts", stats.false_verdicts},
          {"expired_leases", stats.expired_leases},
          {"last_return_reason", stats.last_return_reason},
          {"nodes", std::move(nodes)}};
}

}  // namespace kg::trainer
