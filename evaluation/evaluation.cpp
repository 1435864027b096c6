#include "evaluation/evaluation.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace kg::evaluation {
namespace {

using Passes = bool (*)(const JudgedAnswer&, double);

std::map<std::string, TaskOutcome> by_task(const std::vector<JudgedAnswer>& answers, Passes passes, double bound) {
  std::map<std::string, TaskOutcome> tasks;
  for (const JudgedAnswer& answer : answers) {
    if (!answer.valid) continue;
    TaskOutcome& outcome = tasks[answer.task];
    outcome.cluster = answer.cluster.empty() ? answer.task : answer.cluster;
    ++outcome.samples;
    outcome.passed += passes(answer, bound) ? 1 : 0;
  }
  return tasks;
}

std::vector<TaskOutcome> outcomes_of(const std::vector<JudgedAnswer>& answers, Passes passes, double bound = 0) {
  std::vector<TaskOutcome> list;
  for (const auto& [id, outcome] : by_task(answers, passes, bound)) list.push_back(outcome);
  return list;
}

bool compiles(const JudgedAnswer& answer, double) { return answer.compiled; }
bool is_correct(const JudgedAnswer& answer, double) { return answer.correct; }
bool is_faster(const JudgedAnswer& answer, double p) { return answer.correct && answer.speedup > p; }

GeometricMean mean_speedup(const std::vector<JudgedAnswer>& answers) {
  std::map<std::string, std::pair<double, std::uint64_t>> tasks;
  for (const JudgedAnswer& answer : answers)
    if (answer.valid && answer.correct && answer.speedup > 0) {
      tasks[answer.task].first += std::log(answer.speedup);
      ++tasks[answer.task].second;
    }
  GeometricMean mean{.tasks = tasks.size()};
  double sum = 0;
  for (const auto& [id, task] : tasks) {
    sum += task.first / static_cast<double>(task.second);
    mean.answers += task.second;
  }
  if (mean.tasks > 0) mean.value = std::exp(sum / static_cast<double>(mean.tasks));
  return mean;
}

}  // namespace

std::map<std::string, TaskOutcome> correct_by_task(const std::vector<JudgedAnswer>& answers) {
  return by_task(answers, is_correct, 0);
}

Evaluation evaluate(const std::vector<JudgedAnswer>& answers) {
  Evaluation evaluation;
  for (const JudgedAnswer& answer : answers) {
    ++evaluation.answers;
    evaluation.invalid += answer.valid ? 0 : 1;
    evaluation.sandbox_faults += answer.sandbox_fault ? 1 : 0;
    evaluation.scalar_only += answer.valid && answer.correct && answer.scalar_only ? 1 : 0;
    evaluation.truncated += answer.valid && answer.truncated ? 1 : 0;
  }
  const std::vector<TaskOutcome> compiled = outcomes_of(answers, compiles), correct = outcomes_of(answers, is_correct);
  evaluation.tasks = compiled.size();
  std::uint32_t fewest = 0;
  for (const TaskOutcome& outcome : compiled)
    fewest = fewest == 0 ? outcome.samples : std::min(fewest, outcome.samples);
  std::set<std::uint32_t> all;
  for (const std::uint32_t k : {1u, 10u, 100u, fewest})
    if (k >= 1 && k <= fewest) all.insert(k);
  for (const std::uint32_t k : all)
    evaluation.at.push_back({k, mean_pass_at_k(compiled, k), mean_pass_at_k(correct, k)});
  for (const double p : {1.0, 1.5, 2.0})
    if (fewest > 0) evaluation.fast.push_back({p, mean_pass_at_k(outcomes_of(answers, is_faster, p), 1)});
  evaluation.speedup = mean_speedup(answers);
  return evaluation;
}

std::map<std::string, Evaluation> evaluate_by(const std::vector<JudgedAnswer>& answers,
                                              std::string JudgedAnswer::* key) {
  std::map<std::string, std::vector<JudgedAnswer>> groups;
  for (const JudgedAnswer& answer : answers) groups[answer.*key].push_back(answer);
  std::map<std::string, Evaluation> result;
  for (const auto& [name, group] : groups) result[name] = evaluate(group);
  return result;
}

PairedTest compare_runs(const std::vector<JudgedAnswer>& first, const std::vector<JudgedAnswer>& second) {
  const auto by_task = [](const std::vector<JudgedAnswer>& answers) {
    std::map<std::string, std::vector<bool>> tasks;
    for (const JudgedAnswer& answer : answers)
      if (answer.valid) tasks[answer.task].push_back(answer.correct);
    return tasks;
  };
  const auto a = by_task(first), b = by_task(second);
  PairedTest test;
  for (const auto& [task, ours] : a) {
    const auto other = b.find(task);
    if (other == b.end()) continue;
    const auto k = static_cast<std::ptrdiff_t>(std::min(ours.size(), other->second.size()));
    const auto solved = [&](const std::vector<bool>& list) {
      return std::find(list.begin(), list.begin() + k, true) != list.begin() + k;
    };
    const bool one = solved(ours), two = solved(other->second);
    ++(one && two ? test.both : one ? test.only_first : two ? test.only_second : test.neither);
  }
  return test;
}

}  // namespace kg::evaluation
