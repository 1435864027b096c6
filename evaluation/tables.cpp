#include "evaluation/tables.h"

#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "base/terminal_line.h"
#include "evaluation/table_text.h"

namespace kg::evaluation {
namespace {

std::string speedup(const Evaluation& one) {
  return one.speedup.tasks == 0 ? "-" : fmt::format("{:.3f} ({})", one.speedup.value, one.speedup.tasks);
}

constexpr const char* kIntervals =
    "95 % intervals clustered by operator structure (docs/guide/metrics.md); speed-up: geometric mean over tasks with "
    "a "
    "correct answer.\n";

nlohmann::json json_of(const Estimate& estimate) {
  return {{"value", estimate.value},     {"low", estimate.low},     {"high", estimate.high},
          {"samples", estimate.samples}, {"tasks", estimate.tasks}, {"structures", estimate.clusters}};
}

nlohmann::json json_of(const Evaluation& evaluation) {
  nlohmann::json json = {
      {"tasks", evaluation.tasks},
      {"answers", evaluation.answers},
      {"invalid", evaluation.invalid},
      {"sandbox_faults", evaluation.sandbox_faults},
      {"scalar_only", evaluation.scalar_only},
      {"truncated", evaluation.truncated},
      {"at_k", nlohmann::json::array()},
      {"fast_p", nlohmann::json::array()},
      {"speedup",
       {{"geometric_mean", evaluation.speedup.tasks > 0 ? nlohmann::json(evaluation.speedup.value) : nlohmann::json()},
        {"tasks", evaluation.speedup.tasks},
        {"answers", evaluation.speedup.answers}}}};
  for (const auto& at : evaluation.at)
    json["at_k"].push_back({{"k", at.k}, {"compile", json_of(at.compiled)}, {"correct", json_of(at.correct)}});
  for (const auto& fast : evaluation.fast) json["fast_p"].push_back({{"p", fast.p}, {"share", json_of(fast.share)}});
  return json;
}

TableRow head(const Evaluation& all) {
  TableRow row = {"", "tasks", "answers"};
  for (const auto& at : all.at) {
    row.push_back(fmt::format("CR@{}", at.k));
    row.push_back(fmt::format("ER@{}", at.k));
  }
  row.insert(row.end(), {"fast_1", "speed-up (tasks)", "invalid"});
  return row;
}

// A part may have fewer answers to a task than the whole, never more, so a column may be empty.
TableRow row_of(const std::string& name, const Evaluation& one, const Evaluation& all) {
  TableRow row = {name, std::to_string(one.tasks), std::to_string(one.answers)};
  for (const auto& at : all.at) {
    const auto found = std::find_if(one.at.begin(), one.at.end(), [&](const auto& other) { return other.k == at.k; });
    row.push_back(found == one.at.end() ? "-" : percent_text(found->compiled));
    row.push_back(found == one.at.end() ? "-" : percent_text(found->correct));
  }
  row.push_back(one.fast.empty() ? "-" : percent_text(one.fast.front().share));
  row.push_back(speedup(one));
  row.push_back(std::to_string(one.invalid));
  return row;
}

// "5d41402abc4b2a76", or several with their answers.
std::string names_of(const JudgeVersions& judges) {
  std::string names;
  for (const auto& [version, answers] : judges) {
    names += (names.empty() ? "" : ", ") + version;
    if (judges.size() > 1) names += fmt::format(" ({})", answers);
  }
  return names;
}

std::set<std::string> set_of(const JudgeVersions& judges) {
  std::set<std::string> versions;
  for (const auto& [version, answers] : judges) versions.insert(version);
  return versions;
}

}  // namespace

JudgeVersions judge_versions(const std::vector<JudgedAnswer>& answers) {
  JudgeVersions versions;
  for (const JudgedAnswer& answer : answers)
    ++versions[answer.judge_version.empty() ? "unknown" : answer.judge_version];
  return versions;
}

std::vector<TableRow> rows_of(const Tables& tables) {
  std::vector<TableRow> rows = {head(tables.all), row_of("all", tables.all, tables.all)};
  for (const auto& [name, part] : tables.parts) rows.push_back(row_of(name, part, tables.all));
  return rows;
}

std::string notes_of(const Tables& tables) {
  std::string text = kIntervals;
  if (tables.all.invalid > 0)
    text += fmt::format("{} answers without a valid verdict ({} by sandbox faults) count in no rate.\n",
                        tables.all.invalid, tables.all.sandbox_faults);
  if (tables.all.scalar_only > 0)
    text += fmt::format("{} correct answers were computed by the scalar unit alone.\n", tables.all.scalar_only);
  if (tables.all.truncated > 0)
    text += fmt::format("{} answers were cut off at the token limit.\n", tables.all.truncated);
  if (tables.judges.size() > 1)
    text += fmt::format("These answers were judged by {} versions of the judge: {}.\n", tables.judges.size(),
                        names_of(tables.judges));
  if (tables.against) {
    const auto& [label, judges, solved, difference, last_turns] = *tables.against;
    if (set_of(judges) != set_of(tables.judges))
      text += fmt::format("The two were judged by different versions of the judge: this by {}, {} by {}.\n",
                          names_of(tables.judges), label, names_of(judges));
    text += fmt::format(
        "against {}: both solve {}, only this {}, only that {}, neither {}; McNemar's exact p = {:.4f}\n"
        "ER@1 on {} common tasks of {} structures: {:.1f} % against {:.1f} %, difference {} (paired bootstrap)\n",
        label, solved.both, solved.only_first, solved.only_second, solved.neither, solved.p_value(), difference.tasks,
        difference.clusters, 100 * difference.first, 100 * difference.second, difference_text(difference));
    if (last_turns)
      text += fmt::format("After the last turn: {:.1f} % against {:.1f} %, difference {}\n", 100 * last_turns->first,
                          100 * last_turns->second, difference_text(*last_turns));
  }
  return text;
}

Tables make_tables(std::string label, const std::vector<JudgedAnswer>& answers) {
  Tables tables{.label = std::move(label), .all = evaluate(answers), .judges = judge_versions(answers)};
  const auto add = [&](const std::string& what, std::string JudgedAnswer::* key) {
    const auto groups = evaluate_by(answers, key);
    if (groups.size() < 2) return;
    for (const auto& [name, part] : groups) tables.parts.emplace_back(what + (name.empty() ? "none" : name), part);
  };
  add("level ", &JudgedAnswer::level);
  add("", &JudgedAnswer::category);
  add("", &JudgedAnswer::dtype);
  return tables;
}

Tables::Against compare(std::string label, const std::vector<JudgedAnswer>& ours,
                        const std::vector<JudgedAnswer>& theirs) {
  return {std::move(label), judge_versions(theirs), compare_runs(ours, theirs), paired_difference(ours, theirs),
          std::nullopt};
}

std::string text_of(const Tables& tables) {
  const int columns = terminal_columns(STDOUT_FILENO);
  return tables.label + "\n" + table_text(rows_of(tables), columns) + wrapped_text(notes_of(tables), columns) +
         (tables.turns ? "\n" + text_of(*tables.turns, columns) : "");
}

nlohmann::json json_of(const Tables& tables) {
  nlohmann::json json = {{"label", tables.label},
                         {"all", json_of(tables.all)},
                         {"judge_versions", tables.judges},
                         {"parts", nlohmann::json::object()}};
  for (const auto& [name, part] : tables.parts) json["parts"][name] = json_of(part);
  if (tables.turns) json["turns"] = json_of(*tables.turns);
  if (tables.against) {
    const auto& [label, judges, solved, difference, last_turns] = *tables.against;
    json["against"] = {{"label", label},
                       {"judge_versions", judges},
                       {"both", solved.both},
                       {"only_this", solved.only_first},
                       {"only_that", solved.only_second},
                       {"neither", solved.neither},
                       {"p_value", solved.p_value()},
                       {"correct", json_of(difference)}};
    if (last_turns) json["against"]["after_last_turn"] = json_of(*last_turns);
  }
  return json;
}

std::string summary_text(const std::vector<StoredEvaluation>& evaluations) {
  std::vector<TableRow> rows = {
      {"", "tasks", "answers", "CR@1", "ER@1", "k", "CR@k", "ER@k", "speed-up (tasks)", "invalid", "cut off"}};
  std::set<std::string> judges;
  std::string by_whom;
  for (const StoredEvaluation& stored : evaluations) {
    const JudgeVersions own = judge_versions(stored.answers);
    judges.merge(set_of(own));
    by_whom += (by_whom.empty() ? "" : "; ") + stored.label + " by " + names_of(own);
    const Evaluation one = evaluate(stored.answers);
    TableRow& row = rows.emplace_back(TableRow{stored.label, std::to_string(one.tasks), std::to_string(one.answers)});
    if (one.at.empty()) {
      row.insert(row.end(), 5, "-");
    } else {
      const AtK &first = one.at.front(), &last = one.at.back();
      row.insert(row.end(), {percent_text(first.compiled), percent_text(first.correct), std::to_string(last.k),
                             percent_text(last.compiled), percent_text(last.correct)});
    }
    row.insert(row.end(), {speedup(one), std::to_string(one.invalid), std::to_string(one.truncated)});
  }
  const int columns = terminal_columns(STDOUT_FILENO);
  return table_text(rows, columns) + wrapped_text(kIntervals, columns) +
         (judges.size() > 1 ? "These were judged by different versions of the judge: " + by_whom + ".\n" : "");
}

}  // namespace kg::evaluation
