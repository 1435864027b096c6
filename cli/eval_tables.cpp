#include "cli/eval_tables.h"

#include <spdlog/fmt/fmt.h>

#include <cmath>

#include "cli/report_chart.h"
#include "cli/report_page.h"

namespace kg::cli {
namespace {

using reward::Estimate;
using reward::Evaluation;
using Row = std::vector<std::string>;

std::string percent(const Estimate& estimate) {
  return fmt::format("{:.1f} % [{:.1f}, {:.1f}]", 100 * estimate.value, 100 * estimate.low, 100 * estimate.high);
}

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

Row head(const Evaluation& all) {
  Row row = {"", "tasks", "answers"};
  for (const auto& at : all.at) {
    row.push_back(fmt::format("CR@{}", at.k));
    row.push_back(fmt::format("ER@{}", at.k));
  }
  row.insert(row.end(), {"fast_1", "speed-up (tasks)", "invalid"});
  return row;
}

// A part may have fewer answers to a task than the whole, never more, so a column may be empty.
Row row_of(const std::string& name, const Evaluation& one, const Evaluation& all) {
  Row row = {name, std::to_string(one.tasks), std::to_string(one.answers)};
  for (const auto& at : all.at) {
    const auto found = std::find_if(one.at.begin(), one.at.end(), [&](const auto& other) { return other.k == at.k; });
    row.push_back(found == one.at.end() ? "-" : percent(found->compiled));
    row.push_back(found == one.at.end() ? "-" : percent(found->correct));
  }
  row.push_back(one.fast.empty() ? "-" : percent(one.fast.front().share));
  row.push_back(one.speedup.tasks == 0 ? "-" : fmt::format("{:.3f} ({})", one.speedup.value, one.speedup.tasks));
  row.push_back(std::to_string(one.invalid));
  return row;
}

std::vector<Row> rows_of(const EvalTables& tables) {
  std::vector<Row> rows = {head(tables.all), row_of("all", tables.all, tables.all)};
  for (const auto& [name, part] : tables.parts) rows.push_back(row_of(name, part, tables.all));
  return rows;
}

std::string notes_of(const EvalTables& tables) {
  std::string text =
      "95 % intervals clustered by operator structure (docs/metrics.md); speed-up: geometric mean over tasks with a "
      "correct "
      "answer.\n";
  if (tables.all.invalid > 0)
    text += fmt::format("{} answers without a valid verdict ({} by sandbox faults) count in no rate.\n",
                        tables.all.invalid, tables.all.sandbox_faults);
  if (tables.all.scalar_only > 0)
    text += fmt::format("{} correct answers were computed by the scalar unit alone.\n", tables.all.scalar_only);
  if (tables.against) {
    const auto& [label, solved, difference] = *tables.against;
    text += fmt::format(
        "against {}: both solve {}, only this {}, only that {}, neither {}; McNemar's exact p = {:.4f}\n"
        "ER@1 on {} common tasks of {} structures: {:.1f} % against {:.1f} %, difference {:+.1f} points [{:+.1f}, "
        "{:+.1f}]; "
        "paired bootstrap p = {:.4f}\n",
        label, solved.both, solved.only_first, solved.only_second, solved.neither, solved.p_value(), difference.tasks,
        difference.clusters, 100 * difference.first, 100 * difference.second, 100 * difference.difference,
        100 * difference.low, 100 * difference.high, difference.p_value);
  }
  return text;
}

}  // namespace

EvalTables make_eval_tables(std::string label, const std::vector<reward::JudgedAnswer>& answers) {
  EvalTables tables{.label = std::move(label), .all = reward::evaluate(answers)};
  const auto add = [&](const std::string& what, std::string reward::JudgedAnswer::* key) {
    const auto groups = reward::evaluate_by(answers, key);
    if (groups.size() < 2) return;
    for (const auto& [name, part] : groups) tables.parts.emplace_back(what + (name.empty() ? "none" : name), part);
  };
  add("level ", &reward::JudgedAnswer::level);
  add("", &reward::JudgedAnswer::category);
  add("", &reward::JudgedAnswer::dtype);
  return tables;
}

EvalTables::Against compare(std::string label, const std::vector<reward::JudgedAnswer>& ours,
                            const std::vector<reward::JudgedAnswer>& theirs) {
  return {std::move(label), reward::compare_runs(ours, theirs), reward::paired_difference(ours, theirs)};
}

std::string text_of(const EvalTables& tables) {
  const std::vector<Row> rows = rows_of(tables);
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text = tables.label + "\n";
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      text += i == 0 ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("  {:>{}}", row[i], widths[i]);
    text += "\n";
  }
  return text + notes_of(tables);
}

nlohmann::json json_of(const EvalTables& tables) {
  nlohmann::json json = {{"label", tables.label}, {"all", json_of(tables.all)}, {"parts", nlohmann::json::object()}};
  for (const auto& [name, part] : tables.parts) json["parts"][name] = json_of(part);
  if (tables.against) {
    const auto& [label, solved, difference] = *tables.against;
    json["against"] = {{"label", label},
                       {"both", solved.both},
                       {"only_this", solved.only_first},
                       {"only_that", solved.only_second},
                       {"neither", solved.neither},
                       {"p_value", solved.p_value()},
                       {"correct",
                        {{"tasks", difference.tasks},
                         {"structures", difference.clusters},
                         {"this", difference.first},
                         {"that", difference.second},
                         {"difference", difference.difference},
                         {"low", difference.low},
                         {"high", difference.high},
                         {"p_value", difference.p_value}}}};
  }
  return json;
}

std::string html_of(const EvalTables& tables, const nlohmann::json& record) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
      "<title>{0}</title><style>{1}td,th{{padding:2px "
      "10px;text-align:right}}td:first-child{{text-align:left}}</style></head>"
      "<body><main><h1>{0}</h1><p class=\"lead\">kgtrain eval</p><table>",
      escape_html(tables.label), report_style());
  bool first = true;
  for (const Row& row : rows_of(tables)) {
    html += "<tr>";
    for (const std::string& cell : row)
      html += (first ? "<th>" : "<td>") + escape_html(cell) + (first ? "</th>" : "</td>");
    html += "</tr>";
    first = false;
  }
  return html + "</table><pre>" + escape_html(notes_of(tables)) + "</pre><h2>Record</h2><pre>" +
         escape_html(record.dump(2)) + "</pre></main></body></html>\n";
}

}  // namespace kg::cli
