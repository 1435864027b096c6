#include "trainer/eval_table.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

namespace kg::trainer {
namespace {

constexpr std::string_view kPurpose = "eval:";

struct TaskCount {
  std::uint32_t samples = 0, compiled = 0, correct = 0;
};

struct Evaluation {
  std::int64_t first_us = 0, last_us = 0;
  std::map<std::string, TaskCount> tasks;
  std::uint64_t truncated = 0, invalid = 0;
  double reward_sum = 0;
};

reward::Estimate estimate(const dataset::Dataset& data, const Evaluation& evaluation, std::uint32_t TaskCount::* passed,
                          std::uint32_t k) {
  std::vector<reward::TaskOutcome> outcomes;
  for (const auto& [id, count] : evaluation.tasks) {
    const auto task = data.task(id);
    const std::string structure = task && !task->structure().empty() ? task->structure() : id;
    outcomes.push_back({structure, count.samples, count.*passed});
  }
  return reward::mean_pass_at_k(outcomes, k);
}

nlohmann::json to_json(const reward::Estimate& estimate) {
  return {{"value", estimate.value},     {"low", estimate.low},     {"high", estimate.high},
          {"samples", estimate.samples}, {"tasks", estimate.tasks}, {"structures", estimate.clusters}};
}

std::string percent(const reward::Estimate& estimate) {
  char text[64];
  std::snprintf(text, sizeof text, "%5.1f %% [%5.1f, %5.1f]", 100 * estimate.value, 100 * estimate.low,
                100 * estimate.high);
  return text;
}

}  // namespace

std::vector<EvalRow> eval_rows(const dataset::Dataset& data) {
  std::map<std::string, std::map<std::string, Evaluation>> labels;  // label, then run
  data.for_each_rollout([&](const proto::Rollout& rollout) {
    if (rollout.purpose().rfind(kPurpose, 0) != 0) return true;
    Evaluation& evaluation = labels[rollout.purpose().substr(kPurpose.size())][rollout.run()];
    if (evaluation.first_us == 0 || rollout.time_us() < evaluation.first_us) evaluation.first_us = rollout.time_us();
    evaluation.last_us = std::max(evaluation.last_us, rollout.time_us());
    if (!rollout.verdict().reward_valid()) {
      ++evaluation.invalid;
      return true;
    }
    TaskCount& count = evaluation.tasks[rollout.task()];
    ++count.samples;
    count.compiled += rollout.verdict().compiled() ? 1 : 0;
    count.correct += rollout.verdict().correct() ? 1 : 0;
    evaluation.truncated += rollout.completion().truncated() ? 1 : 0;
    evaluation.reward_sum += rollout.verdict().reward();
    return true;
  });

  std::vector<std::pair<std::int64_t, EvalRow>> dated;
  for (const auto& [label, runs] : labels) {
    const auto newest = std::max_element(
        runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.second.last_us < b.second.last_us; });
    const Evaluation& evaluation = newest->second;
    EvalRow row{.label = label, .run = newest->first, .truncated = evaluation.truncated, .invalid = evaluation.invalid};
    std::uint64_t samples = 0;
    for (const auto& [id, count] : evaluation.tasks) {
      row.k = samples == 0 ? count.samples : std::min(row.k, count.samples);
      samples += count.samples;
    }
    row.compiled = estimate(data, evaluation, &TaskCount::compiled, 1);
    row.correct = estimate(data, evaluation, &TaskCount::correct, 1);
    row.compiled_at_k = estimate(data, evaluation, &TaskCount::compiled, row.k);
    row.correct_at_k = estimate(data, evaluation, &TaskCount::correct, row.k);
    row.reward_mean = samples > 0 ? evaluation.reward_sum / static_cast<double>(samples) : 0;
    dated.emplace_back(evaluation.first_us, row);
  }
  std::stable_sort(dated.begin(), dated.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<EvalRow> rows;
  for (auto& [time, row] : dated) rows.push_back(std::move(row));
  return rows;
}

std::string eval_table_text(const std::vector<EvalRow>& rows) {
  std::size_t width = 10;
  for (const EvalRow& row : rows) width = std::max(width, row.label.size());
  const auto pad = [&](std::string text, std::size_t to) {
    return text.append(to > text.size() ? to - text.size() : 0, ' ');
  };
  std::string text =
      pad("label", width) +
      "  compile rate            correct rate            compile@k / correct@k    k      n  structures  cut off\n";
  for (const EvalRow& row : rows) {
    char tail[160];
    std::snprintf(
        tail, sizeof tail, "%6.1f %% / %5.1f %%      %4u  %5llu  %10llu  %7llu", 100 * row.compiled_at_k.value,
        100 * row.correct_at_k.value, row.k, static_cast<unsigned long long>(row.compiled.samples),
        static_cast<unsigned long long>(row.compiled.clusters), static_cast<unsigned long long>(row.truncated));
    text += pad(row.label, width) + "  " + percent(row.compiled) + "  " + percent(row.correct) + "  " + tail + "\n";
  }
  return text + "95 % intervals clustered by operator structure (docs/metrics.md); n answers, k answers to each task.\n";
}

nlohmann::json to_json(const EvalRow& row) {
  return {{"label", row.label},
          {"run", row.run},
          {"compile_rate", to_json(row.compiled)},
          {"correct_rate", to_json(row.correct)},
          {"k", row.k},
          {"compile_at_k", to_json(row.compiled_at_k)},
          {"correct_at_k", to_json(row.correct_at_k)},
          {"samples", row.compiled.samples},
          {"truncated", row.truncated},
          {"invalid", row.invalid},
          {"reward_mean", row.reward_mean}};
}

}  // namespace kg::trainer
