#include "cli/eval_records.h"

#include <map>

#include "base/error.h"
#include "cli/eval_results.h"

namespace kg::cli {
namespace {

constexpr std::string_view kPurpose = "eval:";

struct Run {
  std::int64_t last_us = 0;
  std::vector<reward::JudgedAnswer> answers;
};

}  // namespace

std::vector<reward::JudgedAnswer> answers_of_label(const dataset::Dataset& data, const std::string& label) {
  std::map<std::string, Run> runs;
  std::map<std::string, std::uint64_t> others;
  std::map<std::string, proto::Task> tasks;
  data.for_each_rollout([&](const proto::Rollout& rollout) {
    if (rollout.purpose().rfind(kPurpose, 0) != 0) return true;
    const std::string found = rollout.purpose().substr(kPurpose.size());
    if (found != label) {
      ++others[found];
      return true;
    }
    Run& run = runs[rollout.run()];
    run.last_us = std::max<std::int64_t>(run.last_us, rollout.time_us());
    auto task = tasks.find(rollout.task());
    if (task == tasks.end())
      task = tasks.emplace(rollout.task(), data.task(rollout.task()).value_or(proto::Task{})).first;
    reward::JudgedAnswer answer = described(rollout.task(), task->second);
    const proto::Verdict& verdict = rollout.verdict();
    answer.sandbox_fault = !verdict.sandbox_error().empty();
    answer.valid = !answer.sandbox_fault && verdict.reward_valid();
    answer.compiled = verdict.compiled();
    answer.correct = verdict.correct();
    for (const proto::Fault& fault : verdict.faults()) answer.scalar_only |= fault.fault_class() == "scalar";
    answer.speedup = verdict.speedup();
    run.answers.push_back(std::move(answer));
    return true;
  });
  if (runs.empty()) {
    std::string known;
    for (const auto& [name, count] : others) known += (known.empty() ? "" : ", ") + name;
    throw Error("the data set has no evaluation \"" + label + "\"", "kgtrain eval",
                known.empty() ? "kgtrain eval --data ... --label NAME makes one" : "it has " + known);
  }
  auto newest = runs.begin();
  for (auto run = runs.begin(); run != runs.end(); ++run)
    if (run->second.last_us > newest->second.last_us) newest = run;
  return std::move(newest->second.answers);
}

}  // namespace kg::cli
