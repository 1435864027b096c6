#include "evaluation/turn_gain.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "evaluation/judged_answer.h"
#include "evaluation/stored_evaluation.h"
#include "evaluation/table_text.h"

namespace kg::evaluation {
namespace {

using Key = std::pair<std::uint64_t, std::uint32_t>;  // work and sample

struct FirstAnswer {
  std::string task, cluster;
  DrawnAnswer answer;
};

// The rollouts of one evaluation.
struct Answers {
  std::map<Key, FirstAnswer> first;
  std::map<Key, std::pair<Key, DrawnAnswer>> repairs;         // by the answer that each repairs, its own key
  std::map<Key, std::map<std::uint32_t, DrawnAnswer>> fresh;  // by the failed answer, by sample
};

// What became of one first answer.
struct Episode {
  std::vector<bool> correct;  // after turn 1, 2, ...
  std::int64_t tokens = 0;    // of the further turns
  bool valid = true;
};

Answers read_answers_of(const dataset::Dataset& data, const std::string& label, const std::string& run) {
  Answers answers;
  std::map<std::string, std::string> clusters;  // by task
  data.for_each_rollout_of(run, 0, ~std::uint64_t{0}, [&](const proto::Rollout& rollout) {
    const Key key(rollout.work_id(), rollout.sample()), before(rollout.after_work_id(), rollout.after_sample());
    const DrawnAnswer drawn = drawn_answer(rollout);
    if (rollout.purpose() == repair_purpose_of(label)) {
      answers.repairs[before] = {key, drawn};
    } else if (rollout.purpose() == fresh_purpose_of(label)) {
      answers.fresh[before][rollout.sample()] = drawn;
    } else if (rollout.purpose() == purpose_of(label)) {
      auto cluster = clusters.find(rollout.task());
      if (cluster == clusters.end()) {
        const std::string structure = data.task(rollout.task()).value_or(proto::Task{}).structure();
        cluster = clusters.emplace(rollout.task(), structure.empty() ? rollout.task() : structure).first;
      }
      answers.first[key] = {.task = rollout.task(), .cluster = cluster->second, .answer = drawn};
    }
    return true;
  });
  return answers;
}

Episode episode_of(const Answers& answers, const Key& first, std::size_t turns) {
  Episode episode{.correct = {answers.first.at(first).answer.correct}};
  for (auto repair = answers.repairs.find(first); repair != answers.repairs.end();
       repair = answers.repairs.find(repair->second.first)) {
    const DrawnAnswer& drawn = repair->second.second;
    episode.tokens += drawn.tokens;
    episode.valid = episode.valid && drawn.valid;
    episode.correct.push_back(episode.correct.back() || (drawn.valid && drawn.correct));
  }
  while (episode.correct.size() < turns) episode.correct.push_back(episode.correct.back());
  return episode;
}

std::size_t turns_of(const Answers& answers) {
  std::size_t most = 1;
  for (const auto& [key, first] : answers.first) most = std::max(most, episode_of(answers, key, 1).correct.size());
  return most;
}

// Of a task: sums over its answers.
struct TaskSums {
  std::string cluster;
  double answers = 0, fresh = 0;
  std::vector<double> after;
};

void add(TurnGain& gain, TaskSums& sums, const Answers& answers, const Key& key, std::size_t turns) {
  const FirstAnswer& first = answers.first.at(key);
  const Episode episode = episode_of(answers, key, turns);
  std::vector<DrawnAnswer> drawn;
  if (const auto fresh = answers.fresh.find(key); fresh != answers.fresh.end())
    for (const auto& [sample, one] : fresh->second) drawn.push_back(one);
  const FreshOutcome fresh = spend_on_fresh(episode.tokens, drawn);
  if (!episode.valid || !fresh.valid) {
    ++gain.left_out;
    return;
  }
  gain.first_tokens += static_cast<double>(first.answer.tokens);
  sums.answers += 1;
  for (std::size_t turn = 0; turn < turns; ++turn) sums.after[turn] += episode.correct[turn] ? 1 : 0;
  sums.fresh += first.answer.correct ? 1 : fresh.solved;
  if (first.answer.correct) return;
  gain.continued += answers.repairs.contains(key) ? 1 : 0;
  gain.repaired += episode.correct.back() ? 1 : 0;
  gain.fresh_solved += fresh.solved;
  gain.short_of_budget += fresh.enough ? 0 : 1;
  gain.repair_tokens += static_cast<double>(episode.tokens);
  gain.fresh_tokens += fresh.tokens;
}

void finish(TurnGain& gain, const std::map<std::string, TaskSums>& tasks, std::size_t turns) {
  std::vector<std::vector<std::pair<std::string, double>>> after(turns);
  std::vector<std::pair<std::string, double>> fresh;
  for (const auto& [task, sums] : tasks) {
    if (sums.answers == 0) continue;
    for (std::size_t turn = 0; turn < turns; ++turn)
      after[turn].emplace_back(sums.cluster, sums.after[turn] / sums.answers);
    fresh.emplace_back(sums.cluster, sums.fresh / sums.answers);
    gain.tasks[task] = {.cluster = sums.cluster, .first = after.back().back().second, .second = fresh.back().second};
  }
  for (const auto& values : after) gain.after.push_back(clustered_mean(values));
  gain.fresh = clustered_mean(fresh);
  gain.against_fresh = paired_difference(gain.tasks);
}

}  // namespace

std::string repair_purpose_of(const std::string& label) { return "repair:" + label; }
std::string fresh_purpose_of(const std::string& label) { return "fresh:" + label; }

DrawnAnswer drawn_answer(const proto::Rollout& rollout) {
  const JudgedAnswer judged = judged_answer(rollout.task(), proto::Task{}, rollout.verdict());
  return {.tokens = rollout.completion().token_ids_size(), .valid = judged.valid, .correct = judged.correct};
}

FreshOutcome spend_on_fresh(std::int64_t budget, const std::vector<DrawnAnswer>& answers) {
  FreshOutcome outcome;
  const auto whole = static_cast<double>(budget);
  double missed = 1;  // the probability that none so far is correct
  for (const DrawnAnswer& answer : answers) {
    const double left = whole - outcome.tokens;
    if (left <= 0 || missed <= 0) break;
    const auto tokens = static_cast<double>(std::max<std::int64_t>(answer.tokens, 1));
    outcome.valid = outcome.valid && answer.valid;
    missed *= 1 - (answer.valid && answer.correct ? std::min(1.0, left / tokens) : 0);
    outcome.tokens += std::min(left, tokens);
  }
  outcome.solved = 1 - missed;
  outcome.enough = outcome.tokens >= whole || missed <= 0;
  return outcome;
}

std::optional<TurnGain> turn_gain(const dataset::Dataset& data, const std::string& label, const std::string& run) {
  const Answers answers = read_answers_of(data, label, run);
  if (answers.repairs.empty()) return std::nullopt;
  const std::size_t turns = turns_of(answers);
  TurnGain gain;
  std::map<std::string, TaskSums> tasks;
  for (const auto& [key, first] : answers.first) {
    if (!first.answer.valid) continue;
    ++gain.answers;
    gain.failed += first.answer.correct ? 0 : 1;
    gain.no_room += first.answer.correct || answers.repairs.contains(key) ? 0 : 1;
    TaskSums& sums = tasks[first.task];
    sums.cluster = first.cluster;
    sums.after.resize(turns);
    add(gain, sums, answers, key, turns);
  }
  if (gain.answers > gain.left_out) gain.first_tokens /= static_cast<double>(gain.answers - gain.left_out);
  if (gain.continued > 0) {
    gain.repair_tokens /= static_cast<double>(gain.continued);
    gain.fresh_tokens /= static_cast<double>(gain.continued);
  }
  finish(gain, tasks, turns);
  return gain;
}

PairedDifference compare_last_turns(const TurnGain& first, const TurnGain& second) {
  std::map<std::string, PairedShares> both;
  for (const auto& [task, ours] : first.tasks)
    if (const auto theirs = second.tasks.find(task); theirs != second.tasks.end())
      both[task] = {.cluster = ours.cluster, .first = ours.first, .second = theirs->second.first};
  return paired_difference(both);
}

std::string text_of(const TurnGain& gain, int columns) {
  std::vector<std::vector<std::string>> rows = {{"", "correct", "tokens"}};
  for (std::size_t turn = 0; turn < gain.after.size(); ++turn)
    rows.push_back({fmt::format("after turn {}", turn + 1), percent_text(gain.after[turn]),
                    turn == 0                       ? fmt::format("{:.0f}", gain.first_tokens)
                    : turn + 1 == gain.after.size() ? fmt::format("+ {:.0f}", gain.repair_tokens)
                                                    : ""});
  rows.push_back(
      {"fresh answers in place of repairs", percent_text(gain.fresh), fmt::format("+ {:.0f}", gain.fresh_tokens)});
  std::string notes = fmt::format(
      "Of {} first answers {} failed; repairs made {} of them right, fresh answers with as many tokens {:.1f} "
      "(expected; tokens: of a first answer, and for a failed one).\nRepairs against fresh answers: {}; paired "
      "bootstrap "
      "over {} structures, {} tasks.\n",
      gain.answers, gain.failed, gain.repaired, gain.fresh_solved, difference_text(gain.against_fresh),
      gain.against_fresh.clusters, gain.against_fresh.tasks);
  if (gain.no_room > 0)
    notes += fmt::format(
        "{} failed answers had no room for a repair in the model's context: they stay failed in both.\n", gain.no_room);
  if (gain.left_out > 0)
    notes +=
        fmt::format("{} first answers are left out: a repair or a fresh answer has no valid verdict.\n", gain.left_out);
  if (gain.short_of_budget > 0)
    notes += fmt::format("{} failed answers had tokens left when as many fresh answers as are drawn were drawn.\n",
                         gain.short_of_budget);
  return table_text(rows, columns) + wrapped_text(notes, columns);
}

nlohmann::json json_of(const TurnGain& gain) {
  const auto rate = [](const Estimate& one) {
    return nlohmann::json{{"value", one.value}, {"low", one.low}, {"high", one.high}, {"tasks", one.tasks}};
  };
  nlohmann::json after = nlohmann::json::array();
  for (const Estimate& one : gain.after) after.push_back(rate(one));
  return {{"answers", gain.answers},
          {"failed", gain.failed},
          {"no_room", gain.no_room},
          {"left_out", gain.left_out},
          {"continued", gain.continued},
          {"repaired", gain.repaired},
          {"fresh_solved", gain.fresh_solved},
          {"first_tokens", gain.first_tokens},
          {"repair_tokens", gain.repair_tokens},
          {"fresh_tokens", gain.fresh_tokens},
          {"short_of_budget", gain.short_of_budget},
          {"after", std::move(after)},
          {"fresh", rate(gain.fresh)},
          {"repair_over_fresh", json_of(gain.against_fresh)}};
}

}  // namespace kg::evaluation
