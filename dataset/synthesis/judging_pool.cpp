#include "dataset/synthesis/judging_pool.h"

#include "reward/judge.h"
#include "sandbox/ordered_pool.h"

namespace kg::dataset {
namespace {

constexpr std::uint64_t kAhead = 256;  // verdicts that may wait for a slow one before them

}  // namespace

void judge_all(const std::vector<JudgingJob>& jobs, int sandboxes, const sandbox::SandboxOptions& options,
               const std::function<void(std::size_t, const proto::Verdict&)>& done) {
  const reward::JudgeOptions how{.reward = reward::reward_preset("staged"), .second_look = false};  // our own
  sandbox::OrderedPool<proto::Verdict> pool(
      {.end = jobs.size(), .ahead = kAhead, .jobs = sandboxes, .sandbox = options},
      [&](sandbox::Sandbox& sandbox, std::uint64_t i) {
        return reward::judge_surely(sandbox, jobs[i].task(), jobs[i].kernel, how);
      });
  for (std::size_t i = 0; i < jobs.size(); ++i) done(i, pool.take());
}

}  // namespace kg::dataset
