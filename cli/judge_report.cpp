#include "cli/judge_report.h"

#include <spdlog/fmt/fmt.h>

#include <map>
#include <sstream>

#include "cli/report_chart.h"
#include "cli/report_page.h"
#include "cli/source_marks.h"
#include "cli/timeline_chart.h"
#include "proto/message_json.h"

namespace kg::cli {
namespace {

constexpr const char* kStyle = R"css(
figure.wide{max-width:none;margin-bottom:14px;overflow-x:auto}figure.wide>svg{min-width:760px}
.pipe-0{fill:#8a8c91}.pipe-1{fill:#2a6fbb}.pipe-2{fill:#1b8a5a}.pipe-3{fill:#b35806}.pipe-4{fill:#7a5cc0}.pipe-5{fill:#a5480a}
.in-bar{fill:#fff;font-size:11px;pointer-events:none}.wait-line{fill:var(--soft)}rect:hover{opacity:.75}
.source{display:grid;grid-template-columns:auto auto 1fr;gap:0 12px;max-height:none}.source .number{text-align:right}
.source .message{padding-left:1em}.cycles td,.cycles th{text-align:left;padding:2px 14px 2px 0}
.faults td{text-align:left;white-space:nowrap}.faults td:last-child{white-space:normal;overflow-wrap:anywhere;min-width:220px}
@media(max-width:640px){.faults tr{display:block;padding:6px 0}.faults td{display:inline-block;padding:2px 10px;border:0}.faults td:last-child{display:block}}
)css";

std::string tile(const std::string& name, const std::string& value) {
  return fmt::format("<div class=\"tile\"><div class=\"value\">{}</div><div class=\"name\">{}</div></div>",
                     escape_html(value), name);
}

std::string faults_table(const proto::Verdict& verdict) {
  if (verdict.faults_size() == 0) return "";
  std::string html = "<h2>Faults</h2><div class=\"scroll\"><table class=\"faults\">";
  for (const proto::Fault& fault : verdict.faults())
    html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                        fault.severity() == proto::ERROR ? "error" : "warning", escape_html(fault.fault_class()),
                        fault.line() > 0 ? fmt::format("<a href=\"#line-{0}\">line {0}</a>", fault.line()) : "",
                        fault.core() >= 0 ? fmt::format("core {}", fault.core()) : "", escape_html(fault.message()));
  return html + "</table></div>";
}

// Each line with its number and its cost; faults are shown below their line.
std::string source_listing(const proto::Verdict& verdict, const std::string& kernel, const CycleSummary* cycles) {
  if (kernel.empty()) return "";
  const std::multimap<int, std::string> messages = marks_of(verdict);
  std::map<int, const CycleSummary::Line*> costs;
  if (cycles != nullptr)
    for (const CycleSummary::Line& line : cycles->lines) costs[line.number] = &line;
  std::string html = "<h2>Kernel</h2>";
  if (cycles != nullptr) html += "<p class=\"note\">Beside a line: the cycles a core's pipes spend on it.</p>";
  html += "<pre class=\"source\">";
  std::istringstream lines(kernel);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const auto cost = costs.find(number);
    html += fmt::format(
        "<span class=\"number\">{}</span><span class=\"number\">{}</span>", number,
        cost == costs.end() ? "" : fmt::format("{:.0f} {}", cost->second->busy, escape_html(cost->second->pipe)));
    const auto [first, last] = messages.equal_range(number);
    html += fmt::format("<span id=\"line-{}\"{}>{} </span>", number, first == last ? "" : " class=\"faulty\"",
                        escape_html(line));
    for (auto fault = first; fault != last; ++fault)
      html += fmt::format("<span></span><span></span><span class=\"message\">{}</span>", escape_html(fault->second));
  }
  return html + "</pre>";
}

std::string timelines(const std::string& trace) {
  const nlohmann::json parsed = nlohmann::json::parse(trace, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object() || !parsed.contains("traceEvents")) return "";
  std::string html =
      "<h2>Timeline of the first case</h2><p class=\"note\">One row per pipe, hatched where it waits for another one. "
      "Point at a bar to see its source line, length and amount.";
  const nlohmann::json other = parsed.value("otherData", nlohmann::json::object());
  if (other.contains("cut")) html += " Of the trace, " + escape_html(other["cut"].get<std::string>()) + ".";
  html += "</p>";
  const int slowest = slowest_core(parsed);
  html += timeline_chart(parsed, slowest);
  if (slowest != 0) html += timeline_chart(parsed, 0);
  return html;
}

}  // namespace

std::string judge_report(const proto::Verdict& verdict, const std::string& kernel, const std::string& trace,
                         const CycleSummary* cycles) {
  const std::string stage = proto::stage_name(verdict.stage());
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
      "<title>{0}</title><style>{1}{2}{3}</style></head><body><main><h1>{0}</h1><p class=\"lead\">kgtrain "
      "judge</p><div "
      "class=\"tiles\">",
      escape_html(verdict.task()), report_style(), marks_style(), kStyle);
  html += tile("stage", stage) +
          tile("cases passed", fmt::format("{} of {}", verdict.cases_passed(), verdict.cases_total()));
  if (verdict.cycles() > 0) {
    html += tile("cycles", fmt::format("{}", verdict.cycles())) +
            tile("baseline cycles", fmt::format("{}", verdict.baseline_cycles()));
    html += tile("speed-up", fmt::format("{:.2f}", verdict.speedup()));
  }
  html += tile("reward", fmt::format("{:.4g}", verdict.reward())) + "</div>";
  if (!verdict.sandbox_error().empty()) html += "<p class=\"note\">" + escape_html(verdict.sandbox_error()) + "</p>";
  html += faults_table(verdict);
  if (const std::string excerpt = marked_excerpt(kernel, marks_of(verdict)); !excerpt.empty())
    html += "<h2>Where it fails</h2>" + excerpt;
  if (cycles != nullptr) html += html_of(*cycles);
  if (!trace.empty()) html += timelines(trace);
  if (!verdict.compiler_output().empty())
    html += "<h2>Compiler</h2><pre>" + escape_html(verdict.compiler_output()) + "</pre>";
  return html + source_listing(verdict, kernel, cycles) + "</main></body></html>\n";
}

}  // namespace kg::cli
