#include "trainer/rl_evaluation.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <utility>

#include "base/error.h"
#include "evaluation/evaluation.h"
#include "evaluation/stored_evaluation.h"
#include "proto/language.h"
#include "trainer/sampling.h"
#include "trainer/task_works.h"

namespace kg::trainer {
namespace {

constexpr std::uint64_t kEvaluationDraws = 1ULL << 60;  // where the numbers of its works begin: apart from training's
constexpr std::uint64_t kMostTasks = 1ULL << 24;        // of one evaluation

}  // namespace

RlEvaluation::RlEvaluation(const RlOptions& options, const dataset::Dataset& data, std::string run)
    : options_(options), data_(data), run_(std::move(run)) {
  if (options.eval_every == 0) return;
  tasks_ = tasks_by_structure(data, {.split = options.eval_split,
                                     .limit = static_cast<std::size_t>(options.eval_tasks),
                                     .language = proto::language_from_name(options.language)})
               .ids;
  if (tasks_.empty())
    throw Error("no task of split " + options.eval_split + " to evaluate with", "--eval-every",
                "give --eval-split train, or data with held-out tasks: kgtrain tasks list shows what there is");
}

bool RlEvaluation::due(const RlOptions& options, std::int64_t step, bool ended) {
  return options.eval_every > 0 && (step % options.eval_every == 0 || ended);
}

std::optional<RlEvaluation::Outcome> RlEvaluation::evaluate(std::int64_t step, std::uint64_t version,
                                                            RolloutSource& source,
                                                            const std::function<void()>& show) const {
  Outcome outcome{.label = run_ + "@" + std::to_string(step)};
  std::vector<rollout::Work> works;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    // The same random streams at every step, so that what differs is the policy.
    rollout::Work work =
        make_work(data_.task(tasks_[i]).value(), kEvaluationDraws + i, options_.prompt_form,
                  static_cast<std::uint32_t>(options_.eval_samples), sampling_of(options_), options_.seed,
                  evaluation::purpose_of(outcome.label), proto::language_from_name(options_.language));
    work.work_id += static_cast<std::uint64_t>(step) * kMostTasks;
    work.oldest_version = work.newest_version = version;
    works.push_back(std::move(work));
  }
  const std::vector<std::uint64_t> ids = source.coordinator().submit_all(std::move(works));
  const std::vector<rollout::FinishedWork> groups = source.collector().collect(ids, show);
  if (groups.empty()) return std::nullopt;
  std::vector<evaluation::JudgedAnswer> answers;
  for (const rollout::FinishedWork& group : groups)
    for (const proto::Rollout& rollout : group.rollouts)
      answers.push_back(evaluation::judged_answer(group.work.task.id(), group.work.task, rollout.verdict()));
  const evaluation::Evaluation all = evaluation::evaluate(answers);
  outcome.answers = all.answers;
  for (const evaluation::AtK& at : all.at) {
    if (at.k != 1) continue;
    outcome.compiled = at.compiled.value;
    outcome.correct = at.correct.value;
    outcome.low = at.correct.low;
    outcome.high = at.correct.high;
  }
  return outcome;
}

nlohmann::json RlEvaluation::Outcome::metrics() const {
  return {{"eval_compile_rate", compiled},
          {"eval_correct_rate", correct},
          {"eval_correct_low", low},
          {"eval_correct_high", high},
          {"eval_answers", answers}};
}

std::string RlEvaluation::Outcome::text() const {
  char words[160];
  std::snprintf(words, sizeof words, "compiled %.1f %%  correct %.1f %% [%.1f, %.1f] of %llu answers", 100 * compiled,
                100 * correct, 100 * low, 100 * high, static_cast<unsigned long long>(answers));
  return words;
}

double best_evaluation(const fs::path& metrics) {
  double best = -1;
  std::ifstream file(metrics);
  for (std::string line; std::getline(file, line);) {
    const auto entry = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (entry.is_object() && entry.contains("eval_correct_rate"))
      best = std::max(best, entry["eval_correct_rate"].get<double>());
  }
  return best;
}

}  // namespace kg::trainer
