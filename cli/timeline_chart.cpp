#include "cli/timeline_chart.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <vector>

#include "cli/report_chart.h"

namespace kg::cli {
namespace {

constexpr double kWidth = 1020, kLeft = 52, kRow = 30, kBar = 20, kTop = 6;

struct Span {
  std::string name, detail;
  int row_of = 0;  // the pipe
  double begin = 0, length = 0;
  bool waits = false;
};

std::string detail_of(const nlohmann::json& arguments, double begin, double length) {
  std::string text = fmt::format("line {}, {:.3f} us, {:.0f} cycles, from {:.3f} us", arguments.value("line", 0),
                                 length, arguments.value("cycles", 0.0), begin);
  for (const char* unit : {"bytes", "elements"})
    if (arguments.contains(unit)) text += fmt::format(", {} {}", arguments[unit].get<std::uint64_t>(), unit);
  if (arguments.contains("for")) text += ", waits for " + arguments["for"].get<std::string>();
  return text;
}

// The data drawn for one core.
struct Timeline {
  std::map<int, std::string> pipes;
  std::map<int, int> rows;  // rows of the pipes, from the top
  std::vector<Span> bars;   // the first kMostBars
  std::size_t events = 0;
  double last = 0;  // when the last bar ends

  double height() const { return kTop + kRow * static_cast<double>(rows.size()) + 22; }
  double scale() const { return (kWidth - kLeft - 8) / std::max(last, 1e-9); }
};

Timeline timeline_of(const nlohmann::json& trace, int core) {
  Timeline timeline;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("pid") != core) continue;
    if (event.at("ph") == "M" && event.at("name") == "thread_name")
      timeline.pipes[event.at("tid").get<int>()] = event.at("args").at("name").get<std::string>();
    if (event.at("ph") != "X" || static_cast<int>(++timeline.events) > kMostBars) continue;
    Span bar;
    bar.name = event.at("name").get<std::string>();
    bar.begin = event.at("ts").get<double>();
    bar.length = event.at("dur").get<double>();
    bar.row_of = event.at("tid").get<int>();
    bar.waits = event.value("cat", "") == "wait";
    bar.detail = detail_of(event.at("args"), bar.begin, bar.length);
    timeline.last = std::max(timeline.last, bar.begin + bar.length);
    timeline.bars.push_back(std::move(bar));
  }
  for (const auto& [pipe, name] : timeline.pipes) timeline.rows.emplace(pipe, static_cast<int>(timeline.rows.size()));
  return timeline;
}

std::string axes(const Timeline& timeline) {
  std::string svg;
  for (const double tick : nice_ticks(0, timeline.last, 8)) {
    if (tick > timeline.last) continue;
    const double x = kLeft + tick * timeline.scale();
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>"
        "<text class=\"tick\" x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4} us</text>",
        x, kTop, timeline.height() - 18, timeline.height() - 5, short_number(tick));
  }
  for (const auto& [pipe, row] : timeline.rows)
    svg += fmt::format("<text class=\"axis\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", kLeft - 8,
                       kTop + kRow * row + kRow / 2 + 4, escape_html(timeline.pipes.at(pipe)));
  return svg;
}

std::string bar_of(const Span& bar, int row, double scale) {
  const double x = kLeft + bar.begin * scale, y = kTop + kRow * row + (kRow - kBar) / 2;
  const std::string look = bar.waits ? "fill=\"url(#waits)\"" : fmt::format("class=\"pipe-{}\"", row % 6);
  std::string svg =
      fmt::format("<rect {} x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{}\"><title>{}: {}</title></rect>",
                  look, x, y, std::max(bar.length * scale, 0.4), kBar, escape_html(bar.name), escape_html(bar.detail));
  // A name where it has room.
  if (!bar.waits && bar.length * scale > 7.0 * static_cast<double>(bar.name.size()) + 6)
    svg += fmt::format("<text class=\"in-bar\" x=\"{:.2f}\" y=\"{:.1f}\">{}</text>", x + 4, y + kBar / 2 + 4,
                       escape_html(bar.name));
  return svg;
}

}  // namespace

int slowest_core(const nlohmann::json& trace) {
  int core = 0;
  double last = -1;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    const double end = event.at("ts").get<double>() + event.at("dur").get<double>();
    if (end <= last) continue;
    last = end;
    core = event.at("pid").get<int>();
  }
  return core;
}

std::string timeline_chart(const nlohmann::json& trace, int core) {
  Timeline timeline = timeline_of(trace, core);
  if (timeline.bars.empty()) return "";
  std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"timeline of core {}\">", kWidth,
                                timeline.height(), core);
  svg +=
      "<defs><pattern id=\"waits\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\">"
      "<rect width=\"1.2\" height=\"5\" class=\"wait-line\"/></pattern></defs>";
  svg += axes(timeline);
  for (const Span& bar : timeline.bars) svg += bar_of(bar, timeline.rows[bar.row_of], timeline.scale());
  svg += "</svg>";
  const std::string cut =
      static_cast<int>(timeline.events) > kMostBars
          ? fmt::format(" <span class=\"unit\">the first {} of {} events</span>", kMostBars, timeline.events)
          : std::string();
  return fmt::format("<figure class=\"wide\"><figcaption>Core {}{}</figcaption>{}</figure>", core, cut, svg);
}

}  // namespace kg::cli
