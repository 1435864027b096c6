#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <set>

#include "cli/report_chart.h"
#include "cli/report_page.h"
#include "cli/source_marks.h"
#include "proto/message_json.h"

namespace kg::cli {
namespace {

constexpr std::size_t kPointsDrawn = 240;
constexpr std::size_t kBarsDrawn = 60;
constexpr std::size_t kTextShown = 12000;

// By number of proto::Stage: what it means that a rollout ended there.
constexpr const char* kStageNames[kStageCount] = {
    "not judged",    "refused or no kernel",    "did not compile", "did not run to its end",
    "wrong numbers", "right, but with a fault", "correct"};

struct KnownMetric {
  const char* title;
  const char* unit;
  std::vector<std::pair<const char*, const char*>> keys;  // key in metrics.jsonl, label
};

// The metrics drawn first, in this order; keys that a run lacks are skipped.
const std::vector<KnownMetric>& known_metrics() {
  static const std::vector<KnownMetric> known = {
      {"Reward", "mean per step", {{"reward_mean", "reward"}}},
      {"Compiled and correct", "share of rollouts", {{"compile_rate", "compiled"}, {"correct_rate", "correct"}}},
      {"Held-out tasks",
       "share of an evaluation's answers, with the 95 % interval for correct ones",
       {{"eval_correct_rate", "correct"}, {"eval_correct_low", "lower bound"}, {"eval_correct_high", "upper bound"}}},
      {"Turns",
       "share of rollouts that are correct",
       {{"first_correct_rate", "first answers"}, {"repair_correct_rate", "repairs"}}},
      {"Loss", "nats a token", {{"loss", "loss"}}},
      {"Policy loss", "", {{"policy_loss", "policy loss"}}},
      {"Entropy", "nats a token, estimated from the samples", {{"entropy", "entropy"}}},
      {"KL divergence", "nats, to the sampler (to the start with --kl-weight)", {{"kl", "KL"}}},
      {"Answers", "tokens, mean", {{"answer_tokens", "tokens"}}},
      {"Sampler against trainer", "|log ratio| of a token before the update, nats", {{"log_prob_difference", "mean"}}},
      {"Last updates against the first",
       "ratio of means; far from 1: the policy may be breaking down",
       {{"entropy_ratio", "entropy"},
        {"answer_tokens_ratio", "tokens of an answer"},
        {"log_prob_difference_ratio", "sampler against trainer"}}},
      {"Clipped ratios", "share of tokens", {{"clip_fraction", "clipped"}}},
      {"Learning rate", "", {{"learning_rate", "learning rate"}}},
      {"Gradient norm", "before clipping", {{"grad_norm", "gradient norm"}}},
      {"Speed", "tokens/s", {{"tokens_per_second", "tokens/s"}}},
      {"Groups", "of a step", {{"groups", "groups"}, {"groups_without_signal", "without signal"}}},
      {"Staleness", "policy versions", {{"staleness", "staleness"}}},
  };
  return known;
}

std::string words(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

std::string stage_class(int stage) {
  return stage == 0 ? "unjudged" : proto::stage_name(static_cast<proto::Stage>(stage));
}

std::string cut(const std::string& text) {
  if (text.size() <= kTextShown) return escape_html(text);
  std::size_t end = kTextShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not inside a UTF-8 character
  return escape_html(text.substr(0, end)) + fmt::format("\n… {} bytes more", text.size() - end);
}

std::string block(const std::string& title, const std::string& text, bool open) {
  if (text.empty()) return "";
  return fmt::format("<details{}><summary>{}</summary><pre>{}</pre></details>", open ? " open" : "", escape_html(title),
                     cut(text));
}

std::string card(const proto::Rollout& rollout) {
  const proto::Verdict& verdict = rollout.verdict();
  std::string faults;
  for (const proto::Fault& fault : verdict.faults())
    faults +=
        fmt::format("{} [{}]{}: {}\n", fault.severity() == proto::ERROR ? "error" : "warning", fault.fault_class(),
                    fault.line() > 0 ? fmt::format(" line {}", fault.line()) : "", fault.message());
  const std::string stage = stage_class(verdict.stage());
  std::string facts = fmt::format("reward {:.3g}", verdict.reward());
  if (verdict.correct()) facts += fmt::format(" · speed-up {:.2f}", verdict.speedup());
  if (verdict.cases_total() > 0)
    facts += fmt::format(" · {} of {} cases", verdict.cases_passed(), verdict.cases_total());
  facts += fmt::format(" · {} tokens{}", rollout.completion().token_ids_size(),
                       rollout.completion().truncated() ? ", cut off" : "");
  return fmt::format(
      "<article><header><span class=\"badge badge-{}\">{}</span> <strong>{}</strong><div class=\"facts\">{} · {}:{}:{} "
      "· {}</div>"
      "</header>{}{}{}{}{}</article>",
      stage, stage, escape_html(rollout.task()), facts, escape_html(rollout.run()), rollout.work_id(), rollout.sample(),
      escape_html(rollout.purpose()), block("Prompt", rollout.prompt(), false),
      marked_excerpt(rollout.kernel(), marks_of(verdict)) + block("Kernel", rollout.kernel(), true),
      rollout.kernel().empty() ? block("Answer (no kernel in it)", rollout.completion().text(), true) : "",
      block("Compiler output", verdict.compiler_output(), true), block("Faults", faults, true));
}

}  // namespace

std::string metric_charts(const Metrics& metrics, const std::string& name, const Metrics& other,
                          const std::string& other_name) {
  const auto beside = [&](const std::string& key, const std::string& label, std::vector<Line>& lines) {
    const auto found = other.series.find(key);
    if (found == other.series.end()) return;
    for (Line& line : lines)
      if (line.color == 0 && line.label == label) line.label = label + ", " + name;
    lines.push_back({label + ", " + other_name, thin_out(found->second, kPointsDrawn), static_cast<int>(lines.size())});
  };
  std::set<std::string> drawn;
  std::string first, rest;
  for (const KnownMetric& metric : known_metrics()) {
    std::vector<Line> lines;
    for (const auto& [key, label] : metric.keys) {
      drawn.insert(key);
      const auto found = metrics.series.find(key);
      if (found != metrics.series.end())
        lines.push_back({label, thin_out(found->second, kPointsDrawn), static_cast<int>(lines.size())});
      if (metric.keys.size() == 1) beside(key, label, lines);
    }
    if (!lines.empty()) first += line_chart(metric.title, metric.unit, lines);
  }
  for (const auto& [key, points] : metrics.series)
    if (!drawn.contains(key)) {
      std::vector<Line> lines{{words(key), thin_out(points, kPointsDrawn), 0}};
      beside(key, words(key), lines);
      rest += line_chart(words(key), "", lines);
    }
  std::string html;
  if (!first.empty())
    html +=
        "<section><h2>Curves <span class=\"unit\">with many steps, the bold line is a moving mean</span></h2><div "
        "class=\"charts\">" +
        first + "</div>";
  if (!rest.empty())
    html +=
        (first.empty() ? "<section><h2>Curves</h2>" : "") +
        fmt::format("<details class=\"more\"{}><summary>More metrics</summary><div class=\"charts\">{}</div></details>",
                    first.empty() ? " open" : "", rest);
  return html.empty() ? html : html + "</section>";
}

std::string rollout_charts(const RolloutDigest& digest) {
  if (digest.rollouts == 0) return "";
  std::string html = "<section><h2>Verdicts</h2><div class=\"charts\">";
  // Neighbouring versions share a bar if there are many.
  std::vector<Bar> bars;
  std::array<bool, kStageCount> seen{};
  const std::size_t versions = digest.stages_by_version.size(), together = versions / kBarsDrawn + 1;
  std::size_t i = 0;
  for (const auto& [version, stages] : digest.stages_by_version) {
    if (i++ % together == 0) {
      bars.push_back({std::to_string(version), {}});
      for (int stage = 0; stage < kStageCount; ++stage) bars.back().parts.emplace_back(stage_class(stage), 0);
    }
    for (std::size_t stage = 0; stage < kStageCount; ++stage) {
      bars.back().parts[stage].second += stages[stage];
      seen[stage] = seen[stage] || stages[stage] > 0;
    }
  }
  std::vector<std::pair<std::string, std::string>> names;
  for (int stage = 0; stage < kStageCount; ++stage)
    if (seen[static_cast<std::size_t>(stage)]) names.emplace_back("fill-" + stage_class(stage), kStageNames[stage]);
  html += bar_chart("Share of training rollouts that ended at each stage", "policy version", bars, /*share=*/true,
                    legend(names));
  std::vector<Bar> rewards;
  if (!digest.rewards.empty()) {
    const double low = digest.rewards.begin()->first, high = digest.rewards.rbegin()->first;
    const double width = high - low > 3 ? 0.25 : high - low > 1.5 ? 0.1 : 0.05;
    std::map<long, double> bins;
    for (const auto& [reward, count] : digest.rewards) bins[std::lround(reward / width)] += count;
    for (long bin = bins.begin()->first; bin <= bins.rbegin()->first; ++bin)
      rewards.push_back(
          {fmt::format("{:.4g}", static_cast<double>(bin) * width), {{"0", bins.contains(bin) ? bins[bin] : 0}}});
  }
  html += bar_chart("Distribution of training rewards, number of rollouts", "reward", rewards, /*share=*/false, "");
  html +=
      "</div><div "
      "class=\"scroll\"><table><thead><tr><th>purpose</th><th>rollouts</th><th>compiled</th><th>correct</th><th>mean "
      "reward</th>"
      "<th>cut off</th><th>not valid</th></tr></thead>";
  for (const auto& [name, counts] : digest.purposes) {
    const auto n = static_cast<double>(counts.rollouts);
    html += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{:.1f} %</td><td>{:.1f} %</td><td>{}</td><td>{:.1f} %</td><td>{}</td></tr>",
        escape_html(name), counts.rollouts, 100 * static_cast<double>(counts.compiled) / n,
        100 * static_cast<double>(counts.correct) / n,
        counts.valid == 0 ? "–" : fmt::format("{:.4f}", counts.reward_sum / static_cast<double>(counts.valid)),
        100 * static_cast<double>(counts.truncated) / n, counts.rollouts - counts.valid);
  }
  return html + "</table></div></section>";
}

std::string task_table(const RolloutDigest& digest) {
  if (digest.tasks.empty()) return "";
  std::string html = fmt::format(
      "<section><details class=\"more\"><summary>Tasks ({})</summary><p class=\"note\">How far the answers to each "
      "task "
      "came; kgtrain report {} --task ID shows them.</p><div class=\"scroll\"><table><thead><tr><th>task</th>"
      "<th>answers</th>",
      digest.tasks.size(), escape_html(digest.run));
  for (int stage = 1; stage < kStageCount; ++stage) html += fmt::format("<th>{}</th>", kStageNames[stage]);
  html += "</tr></thead>";
  for (const auto& [task, stages] : digest.tasks) {
    double sum = 0;
    for (const double count : stages) sum += count;
    html += fmt::format("<tr><td>{}</td><td>{:.0f}</td>", escape_html(task), sum);
    for (int stage = 1; stage < kStageCount; ++stage)
      html += fmt::format("<td>{}</td>", stages[static_cast<std::size_t>(stage)] == 0
                                             ? ""
                                             : fmt::format("{:.0f}", stages[static_cast<std::size_t>(stage)]));
    html += "</tr>";
  }
  return html + "</table></div></details></section>";
}

std::string rollout_cards(const RolloutDigest& digest) {
  std::string html;
  for (const auto& [title, rollouts] :
       {std::pair{"Chosen rollouts", &digest.chosen}, std::pair{"Best kernels", &digest.best},
        std::pair{"Worst kernels", &digest.worst}}) {
    if (rollouts->empty()) continue;
    html += fmt::format("<section><h2>{}</h2><div class=\"cards\">", title);
    for (const proto::Rollout& rollout : *rollouts) html += card(rollout);
    html += "</div></section>";
  }
  return html;
}

}  // namespace kg::cli
