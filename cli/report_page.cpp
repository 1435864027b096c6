#include "cli/report_page.h"

#include <spdlog/fmt/fmt.h>

#include <cmath>

#include "base/duration.h"
#include "cli/report_chart.h"
#include "cli/source_marks.h"

namespace kg::cli {
namespace {

std::string tile(const std::string& name, const std::string& value) {
  return fmt::format("<div class=\"tile\"><div class=\"value\">{}</div><div class=\"name\">{}</div></div>",
                     escape_html(value), escape_html(name));
}

std::string number_tile(const Metrics& metrics, const std::string& key, const std::string& name, bool percent) {
  const auto found = metrics.series.find(key);
  if (found == metrics.series.end()) return "";
  const double value = found->second.back().second;
  return tile(name, percent ? fmt::format("{:.1f} %", 100 * value) : fmt::format("{:.4g}", value));
}

std::string text_of(const nlohmann::json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

void config_rows(const std::string& prefix, const nlohmann::json& object, std::string& html) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object())
      config_rows(prefix + key + ".", value, html);
    else
      html += fmt::format("<tr><td>{}</td><td><code>{}</code></td></tr>", escape_html(prefix + key),
                          escape_html(text_of(value)));
  }
}

std::string config_section(const nlohmann::json& config) {
  if (!config.is_object()) return "";
  std::string html = "<section><details class=\"more\"><summary>Configuration</summary><table class=\"config\">";
  config_rows("", config, html);
  return html + "</table></details></section>";
}

std::string tiles(const ReportInput& input) {
  const Metrics& metrics = input.metrics;
  std::string html = "<div class=\"tiles\">";
  if (metrics.steps > 0) html += tile("steps", fmt::format("{:.0f}", metrics.steps));
  if (metrics.seconds > 0) html += tile("time", duration_text(metrics.seconds));
  html += number_tile(metrics, "loss", "last loss", false) +
          number_tile(metrics, "reward_mean", "last mean reward", false) +
          number_tile(metrics, "compile_rate", "compiled, last step", true) +
          number_tile(metrics, "correct_rate", "correct, last step", true);
  const auto speed = metrics.series.find("tokens_per_second");
  if (speed != metrics.series.end())
    html += tile("tokens/s, last step", short_number(std::round(speed->second.back().second)));
  if (input.rollouts.rollouts > 0) html += tile("rollouts", std::to_string(input.rollouts.rollouts));
  return html + "</div>";
}

}  // namespace

std::string report_page(const ReportInput& input) {
  const std::string command = input.config.is_object() ? input.config.value("command", std::string()) : std::string();
  const std::string state =
      input.status.is_object() && input.status.contains("state") ? text_of(input.status["state"]) : "";
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\">{4}"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
      "<title>{0}</title><style>{1}</style></head><body><main><h1>{0}</h1><p class=\"lead\">{2}{3}</p>",
      escape_html(input.run), report_style() + marks_style(), command.empty() ? "" : escape_html("kgtrain " + command),
      (state.empty() ? "" : " · " + escape_html(state)) +
          (input.against_run.empty() ? "" : " · compared with " + escape_html(input.against_run)),
      input.refresh_seconds > 0 ? fmt::format("<meta http-equiv=\"refresh\" content=\"{}\">", input.refresh_seconds)
                                : "");
  html += tiles(input) + node_table(input.nodes) +
          metric_charts(input.metrics, input.run, input.against, input.against_run) + rollout_charts(input.rollouts);
  if (!input.rollouts_missing.empty()) html += "<p class=\"note\">" + escape_html(input.rollouts_missing) + "</p>";
  return html + task_table(input.rollouts) + rollout_cards(input.rollouts) + config_section(input.config) +
         "</main></body></html>\n";
}

std::string report_style() {
  return R"css(
:root{--ground:#f7f7f5;--card:#fff;--ink:#1c1d1f;--soft:#6a6d73;--rule:#e4e4df;--line0:#2a6fbb;--line1:#1b8a5a;--line2:#b35806}
@media(prefers-color-scheme:dark){:root{--ground:#16171a;--card:#1f2125;--ink:#e8e8e6;--soft:#9a9da3;--rule:#33363b;--line0:#6fa8e8;--line1:#58c191;--line2:#f1a340}}
*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{max-width:1080px;margin:0 auto;padding:32px 24px 64px}h1{font-size:28px;margin:0;letter-spacing:-.01em}h2{font-size:18px;margin:40px 0 12px}
.lead{margin:4px 0 20px;color:var(--soft)}.note{color:var(--soft)}
.tiles{display:flex;flex-wrap:wrap;gap:12px}.tile{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:12px 18px;min-width:118px}
.value{font-size:22px;font-weight:600;font-variant-numeric:tabular-nums}.name{color:var(--soft);font-size:13px}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(440px,100%),1fr));gap:16px}
figure{margin:0;background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:14px 16px 10px;max-width:720px}
figcaption{font-weight:600;font-size:14px;margin-bottom:6px}.unit{font-weight:400;color:var(--soft)}figure>svg{width:100%;height:auto;display:block}
.grid{stroke:var(--rule);stroke-width:1}.tick,.axis{fill:var(--soft);font-size:11px;font-variant-numeric:tabular-nums}
.line{fill:none;stroke-width:1.8;stroke-linejoin:round}.behind{stroke-width:1;opacity:.35}.line-0{stroke:var(--line0)}.line-1{stroke:var(--line1)}.line-2{stroke:var(--line2)}
.dot{stroke:none}.dot.line-0{fill:var(--line0)}.dot.line-1{fill:var(--line1)}.dot.line-2{fill:var(--line2)}
.hover{fill:transparent}.hover:hover{fill:var(--soft);fill-opacity:.12}
.fill-0{fill:var(--line0)}.fill-1{fill:var(--line1)}.fill-2{fill:var(--line2)}
.fill-unjudged{fill:#c9c9c4}.fill-rejected{fill:#8a8c91}.fill-compile{fill:#a5480a}.fill-run{fill:#dd8332}.fill-compare{fill:#f5c98b}.fill-check{fill:#9d94c9}.fill-correct{fill:#2a6fbb}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;font-size:12.5px;color:var(--soft);padding:4px 0 2px}.legend svg{margin-right:5px}
table{border-collapse:collapse;margin-top:16px;width:100%;background:var(--card);border:1px solid var(--rule);border-radius:10px;font-variant-numeric:tabular-nums;font-size:14px}
th,td{text-align:right;padding:6px 14px;border-bottom:1px solid var(--rule)}th:first-child,td:first-child{text-align:left}th{font-weight:600;color:var(--soft)}
.scroll{overflow-x:auto}.config td{text-align:left;overflow-wrap:anywhere}.config td:first-child{overflow-wrap:normal}
code,pre{font:12.5px/1.5 ui-monospace,"Cascadia Mono","DejaVu Sans Mono",monospace}
.cards{display:grid;gap:16px}article{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:14px 18px;min-width:0}
article header{margin-bottom:8px;overflow-wrap:anywhere}.facts{color:var(--soft);font-size:13px;margin-top:2px}
.badge{display:inline-block;border-radius:6px;padding:1px 8px;font-size:12px;font-weight:600;background:var(--rule);color:var(--ink)}
.badge-correct{background:#2a6fbb;color:#fff}.badge-compile{background:#a5480a;color:#fff}.badge-run{background:#dd8332;color:#1c1d1f}.badge-compare{background:#f5c98b;color:#1c1d1f}
details{margin-top:6px}summary{cursor:pointer;color:var(--soft);font-size:13px}.more>summary{font-size:16px;font-weight:600;color:var(--ink);margin:28px 0 12px}
pre{margin:6px 0 4px;padding:10px 12px;background:var(--ground);border-radius:8px;overflow:auto;max-height:420px;white-space:pre-wrap;overflow-wrap:anywhere;tab-size:4}
@media print{body{background:#fff}pre{max-height:none}}
)css";
}

}  // namespace kg::cli
