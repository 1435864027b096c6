#include "evaluation/stored_evaluation.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/error.h"

namespace kg::evaluation {
namespace {

constexpr std::string_view kPurpose = "eval:";

using Runs = std::map<std::string, StoredEvaluation>;  // by the run's id

// By label; of one label alone, if one is given.
std::map<std::string, Runs> runs_by_label(const dataset::Dataset& data, const std::optional<std::string>& wanted) {
  std::map<std::string, Runs> labels;
  std::map<std::string, proto::Task> tasks;
  data.for_each_rollout([&](const proto::Rollout& rollout) {
    if (rollout.purpose().rfind(kPurpose, 0) != 0) return true;
    const std::string label = rollout.purpose().substr(kPurpose.size());
    Runs& runs = labels[label];
    if (wanted && label != *wanted) return true;
    StoredEvaluation& run = runs[rollout.run()];
    if (run.answers.empty()) run = {.label = label, .run = rollout.run(), .answers = {}, .first_us = rollout.time_us()};
    run.first_us = std::min(run.first_us, rollout.time_us());
    run.last_us = std::max(run.last_us, rollout.time_us());
    auto task = tasks.find(rollout.task());
    if (task == tasks.end())
      task = tasks.emplace(rollout.task(), data.task(rollout.task()).value_or(proto::Task{})).first;
    run.answers.push_back(judged_answer(rollout.task(), task->second, rollout.verdict()));
    run.answers.back().truncated = rollout.completion().truncated();
    return true;
  });
  return labels;
}

StoredEvaluation newest(Runs& runs) {
  const auto found = std::max_element(runs.begin(), runs.end(),
                                      [](const auto& a, const auto& b) { return a.second.last_us < b.second.last_us; });
  return std::move(found->second);
}

}  // namespace

std::string purpose_of(const std::string& label) { return std::string(kPurpose) + label; }

std::vector<StoredEvaluation> stored_evaluations(const dataset::Dataset& data) {
  std::vector<StoredEvaluation> all;
  for (auto& [label, runs] : runs_by_label(data, std::nullopt)) all.push_back(newest(runs));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first_us < b.first_us; });
  return all;
}

StoredEvaluation stored_evaluation(const dataset::Dataset& data, const std::string& label) {
  auto labels = runs_by_label(data, label);
  if (const auto found = labels.find(label); found != labels.end()) return newest(found->second);
  std::string known;
  for (const auto& [name, runs] : labels) known += (known.empty() ? "" : ", ") + name;
  throw Error("the data set has no evaluation \"" + label + "\"", "kgtrain eval",
              known.empty() ? "kgtrain eval --data ... --label NAME makes one" : "it has " + known);
}

}  // namespace kg::evaluation
