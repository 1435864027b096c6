#include "cli/report_rollouts.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "proto/message_json.h"
#include "rollout/lineage.h"

namespace kg::cli {
namespace {

constexpr std::size_t kShown = 5;

// Higher is better: a valid reward, then speed-up, then the shorter kernel.
auto merit(const proto::Rollout& rollout) {
  return std::tuple(rollout.verdict().reward(), rollout.verdict().speedup(),
                    -static_cast<double>(rollout.kernel().size()));
}

// Keeps the first kShown of different tasks in the order given by `before`.
template <typename Before>
void keep(std::vector<proto::Rollout>& kept, const proto::Rollout& rollout, const Before& before) {
  const auto same_task =
      std::find_if(kept.begin(), kept.end(), [&](const auto& other) { return other.task() == rollout.task(); });
  if (same_task != kept.end()) {
    if (!before(rollout, *same_task)) return;
    kept.erase(same_task);
  } else if (kept.size() == kShown && !before(rollout, kept.back())) {
    return;
  }
  kept.insert(std::upper_bound(kept.begin(), kept.end(), rollout, before), rollout);
  if (kept.size() > kShown) kept.pop_back();
}

bool takes(const RolloutChoice& choice, const proto::Rollout& rollout) {
  return choice.any() && rollout.task().find(choice.task) != std::string::npos &&
         (choice.stage.empty() || proto::stage_name(rollout.verdict().stage()) == choice.stage) &&
         (choice.update < 0 ||
          rollout::number_of(rollout.policy_version()) == static_cast<std::uint64_t>(choice.update));
}

bool same(const proto::Rollout& a, const proto::Rollout& b) {
  return a.work_id() == b.work_id() && a.sample() == b.sample();
}

}  // namespace

RolloutDigest digest_rollouts(const dataset::Dataset& data, const std::string& run, const RolloutChoice& choice) {
  RolloutDigest digest{.run = run};
  data.for_each_rollout([&](const proto::Rollout& rollout) {
    if (rollout.run() != run) return true;
    const proto::Verdict& verdict = rollout.verdict();
    ++digest.rollouts;
    const auto stage = static_cast<std::size_t>(std::clamp<int>(verdict.stage(), 0, kStageCount - 1));
    digest.tasks[rollout.task()][stage] += 1;
    if (takes(choice, rollout)) {
      if (digest.chosen.size() == choice.most) digest.chosen.erase(digest.chosen.begin());
      digest.chosen.push_back(rollout);
    }
    std::string name = rollout.purpose().empty() ? "train" : rollout.purpose();
    if (rollout.turn() > 0) name += ", turn " + std::to_string(rollout.turn() + 1);
    PurposeCounts& purpose = digest.purposes[name];
    ++purpose.rollouts;
    purpose.compiled += verdict.compiled();
    purpose.correct += verdict.correct();
    purpose.truncated += rollout.completion().truncated();
    if (verdict.reward_valid()) {
      ++purpose.valid;
      purpose.reward_sum += verdict.reward();
    }
    if (rollout.purpose().empty() || rollout.purpose() == "train") {
      digest.stages_by_version[rollout::number_of(rollout.policy_version())][stage] += 1;
      if (verdict.reward_valid()) digest.rewards[std::round(verdict.reward() * 20) / 20] += 1;
    }
    if (!verdict.reward_valid()) return true;
    keep(digest.best, rollout, [](const auto& a, const auto& b) { return merit(a) > merit(b); });
    // Of equally bad rollouts, prefer those with a kernel to look at.
    keep(digest.worst, rollout, [](const auto& a, const auto& b) {
      return std::tuple(a.verdict().reward(), a.kernel().empty()) <
             std::tuple(b.verdict().reward(), b.kernel().empty());
    });
    return true;
  });
  // If there are few rollouts, the best are also the worst.
  std::erase_if(digest.worst, [&](const proto::Rollout& one) {
    return std::any_of(digest.best.begin(), digest.best.end(), [&](const auto& other) { return same(one, other); });
  });
  return digest;
}

}  // namespace kg::cli
