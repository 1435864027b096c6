#include "rollout/judging.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/log.h"
#include "dataset/store/answer.h"
#include "reward/judge.h"
#include "reward/verdict.h"
#include "rollout/judge_slots.h"

namespace kg::rollout {

JudgeQueue::Judge make_judge(const JudgingOptions& options, const proto::Welcome& welcome) {
  reward::JudgeOptions rules;
  rules.reward = reward::reward_config_from_json(nlohmann::json::parse(welcome.reward_config_json()));
  rules.limits = welcome.limits();
  rules.language = welcome.language();
  rules.benchmark_cases = options.benchmark_cases;
  const unsigned slots = options.slots > 0 ? options.slots : std::max(1u, std::thread::hardware_concurrency());
  const fs::path slot_folder = judge_slot_folder();
  std::shared_ptr<sandbox::Sandbox> sandbox = sandbox::start_sandbox(options.sandbox);
  sandbox->start();  // while the first answers are drawn
  return [=](const proto::Task& task, proto::Rollout& rollout) {
    const dataset::Answer answer = dataset::extract_kernel(rollout.completion().text(), rules.language);
    if (answer.kernel.empty()) {
      *rollout.mutable_verdict() = reward::verdict_without_kernel(task, answer.reason, rules.reward);
      return;
    }
    rollout.set_kernel(answer.kernel);
    const JudgeSlot slot(slot_folder, slots);
    // A sandbox that died under one kernel may well judge it the second time.
    for (int attempt = 0; attempt < 2; ++attempt) {
      *rollout.mutable_verdict() = reward::judge(*sandbox, task, answer.kernel, rules);
      if (rollout.verdict().sandbox_error().empty()) return;
      spdlog::warn("sandbox fault at {}: {}", task.id(), rollout.verdict().sandbox_error());
    }
  };
}

}  // namespace kg::rollout
