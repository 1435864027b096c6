#include "cli/report_chart.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace kg::cli {
namespace {

constexpr double kWidth = 460, kHeight = 220;
constexpr double kLeft = 62, kRight = 12, kTop = 10, kBottom = 34;
constexpr std::size_t kPointsWithDots = 40;
constexpr double kInnerWidth = kWidth - kLeft - kRight, kInnerHeight = kHeight - kTop - kBottom;

struct Scale {
  double low, high;
  double x(double value) const { return kLeft + (value - low) / (high - low) * kInnerWidth; }
  double y(double value) const { return kTop + (high - value) / (high - low) * kInnerHeight; }
};

std::string y_axis(const Scale& scale, const std::vector<double>& ticks, const char* suffix) {
  std::string svg;
  for (const double tick : ticks)
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/><text class=\"tick\" x=\"{}\" "
        "y=\"{:.1f}\" "
        "text-anchor=\"end\">{}{}</text>",
        kLeft, kWidth - kRight, scale.y(tick), scale.y(tick), kLeft - 6, scale.y(tick) + 3.5, short_number(tick),
        suffix);
  return svg;
}

std::string x_text(double x, const std::string& text) {
  return fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>", x,
                     kHeight - kBottom + 14, escape_html(text));
}

std::string open_figure(const std::string& title, const std::string& unit) {
  return fmt::format("<figure><figcaption>{}{}</figcaption><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">",
                     escape_html(title), unit.empty() ? "" : " <span class=\"unit\">" + escape_html(unit) + "</span>",
                     kWidth, kHeight, escape_html(title));
}

std::string axis_name(const std::string& name) {
  return fmt::format("<text class=\"axis\" x=\"{:.0f}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                     kLeft + kInnerWidth / 2, kHeight - 4, escape_html(name));
}

std::string polyline(const Points& points, const std::string& style, const Scale& x, const Scale& y) {
  std::string places;
  for (const auto& [step, value] : points) places += fmt::format("{:.1f},{:.1f} ", x.x(step), y.y(value));
  return fmt::format("<polyline class=\"{}\" points=\"{}\"/>", style, places);
}

std::string drawn(const Line& line, const Scale& x, const Scale& y) {
  const std::string style = "line line-" + std::to_string(line.color);
  if (line.points.size() > kPointsWithDots)
    return polyline(line.points, style + " behind", x, y) + polyline(moving_mean(line.points), style, x, y);
  std::string svg = polyline(line.points, style, x, y);
  for (const auto& [step, value] : line.points)
    svg += fmt::format("<circle class=\"dot line-{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\"/>", line.color, x.x(step),
                       y.y(value));
  return svg;
}

// Bands that show the numbers of a step under the mouse, without a script.
std::string hover_bands(const std::vector<Line>& lines, const Scale& x) {
  std::string svg;
  const Points& points = lines.front().points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double at = x.x(points[i].first);
    const double begin = i == 0 ? kLeft : (x.x(points[i - 1].first) + at) / 2;
    const double end = i + 1 == points.size() ? kWidth - kRight : (at + x.x(points[i + 1].first)) / 2;
    std::string text = "step " + short_number(points[i].first);
    for (const Line& line : lines)
      if (i < line.points.size()) text += fmt::format("\n{} {:.6g}", line.label, line.points[i].second);
    svg += fmt::format(
        "<rect class=\"hover\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\"><title>{}</title></rect>", begin,
        kTop, std::max(0.5, end - begin), kInnerHeight, escape_html(text));
  }
  return svg;
}

}  // namespace

std::string escape_html(const std::string& text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        // Control characters have no place in HTML: shown as the replacement character.
        if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
          safe += "\xEF\xBF\xBD";
        else
          safe += c;
    }
  }
  return safe;
}

std::string short_number(double value) {
  const double size = std::fabs(value);
  if (size >= 1e9) return fmt::format("{:.3g}G", value / 1e9);
  if (size >= 1e6) return fmt::format("{:.3g}M", value / 1e6);
  if (size >= 1e4) return fmt::format("{:.3g}k", value / 1e3);
  return fmt::format("{:.4g}", value == 0 ? 0.0 : value);
}

Points moving_mean(const Points& points) {
  const std::size_t reach = points.size() / 20;
  Points means;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t side = std::min({reach, i, points.size() - 1 - i});
    double sum = 0;
    for (std::size_t k = i - side; k <= i + side; ++k) sum += points[k].second;
    means.emplace_back(points[i].first, sum / static_cast<double>(2 * side + 1));
  }
  return means;
}

std::vector<double> nice_ticks(double low, double high, int count) {
  if (!(high > low)) {
    const double margin = std::fabs(low) * 0.1;
    low -= margin;
    high += low == 0 ? 1 : margin;
  }
  const double raw = (high - low) / count;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double nice : {1.0, 2.0, 2.5, 5.0})
    if (nice * power >= raw * 0.999) {
      step = nice * power;
      break;
    }
  std::vector<double> ticks;
  const double first = std::floor(low / step + 1e-9);
  for (int i = 0; i < 50; ++i) {
    const double tick = (first + i) * step;
    ticks.push_back(std::fabs(tick) < step * 1e-9 ? 0 : tick);
    if (tick >= high - step * 1e-9) break;
  }
  return ticks;
}

std::string line_chart(const std::string& title, const std::string& unit, const std::vector<Line>& lines) {
  double x_low = INFINITY, x_high = -INFINITY, y_low = INFINITY, y_high = -INFINITY;
  for (const Line& line : lines)
    for (const auto& [step, value] : line.points) {
      x_low = std::min(x_low, step);
      x_high = std::max(x_high, step);
      y_low = std::min(y_low, value);
      y_high = std::max(y_high, value);
    }
  if (!std::isfinite(x_low)) return "";
  if (y_low > 0 && y_low < 0.6 * y_high) y_low = 0;  // start at zero unless that hides the shape
  const std::vector<double> ticks = nice_ticks(y_low, y_high, 4);
  const Scale y{ticks.front(), ticks.back()};
  const Scale x = x_high > x_low ? Scale{x_low, x_high} : Scale{x_low - 1, x_high + 1};
  std::string svg = open_figure(title, unit) + y_axis(y, ticks, "");
  for (const double tick : nice_ticks(x.low, x.high, 5))
    if (tick >= x.low && tick <= x.high && tick == std::floor(tick)) svg += x_text(x.x(tick), short_number(tick));
  for (const Line& line : lines) svg += drawn(line, x, y);
  svg += axis_name("step") + hover_bands(lines, x) + "</svg>";
  if (lines.size() > 1) {
    std::vector<std::pair<std::string, std::string>> names;
    for (const Line& line : lines) names.emplace_back("fill-" + std::to_string(line.color), line.label);
    svg += legend(names);
  }
  return svg + "</figure>";
}

std::string bar_chart(const std::string& title, const std::string& x_label, const std::vector<Bar>& bars, bool share,
                      const std::string& legend_html) {
  if (bars.empty()) return "";
  double highest = 0;
  for (const Bar& bar : bars) {
    double sum = 0;
    for (const auto& part : bar.parts) sum += part.second;
    highest = std::max(highest, sum);
  }
  const std::vector<double> ticks =
      share ? std::vector<double>{0, 25, 50, 75, 100} : nice_ticks(0, std::max(1.0, highest), 4);
  const Scale y{ticks.front(), ticks.back()};
  const double slot = kInnerWidth / static_cast<double>(bars.size());
  const double gap = slot > 12 ? 2 : slot * 0.1;
  const std::size_t label_every = bars.size() / 8 + 1;
  std::string svg = open_figure(title, "") + y_axis(y, ticks, share ? " %" : "");
  for (std::size_t i = 0; i < bars.size(); ++i) {
    double sum = 0;
    for (const auto& part : bars[i].parts) sum += part.second;
    const double left = kLeft + slot * static_cast<double>(i);
    double below = 0;
    for (const auto& [kind, height] : bars[i].parts) {
      if (height <= 0) continue;
      const double from = share ? 100 * below / sum : below, to = share ? 100 * (below + height) / sum : below + height;
      svg += fmt::format(
          "<rect class=\"fill-{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\"><title>{} {}: {} {} of "
          "{}</title></rect>",
          kind, left + gap / 2, y.y(to), std::max(0.5, slot - gap), y.y(from) - y.y(to), escape_html(x_label),
          escape_html(bars[i].label), short_number(height), escape_html(kind), short_number(sum));
      below += height;
    }
    if (i % label_every == 0) svg += x_text(left + slot / 2, bars[i].label);
  }
  return svg + axis_name(x_label) + "</svg>" + legend_html + "</figure>";
}

std::string legend(const std::vector<std::pair<std::string, std::string>>& class_and_label) {
  std::string html = "<div class=\"legend\">";
  for (const auto& [css, label] : class_and_label)
    html += fmt::format(
        "<span><svg width=\"10\" height=\"10\"><rect class=\"{}\" width=\"10\" height=\"10\" rx=\"2\"/></svg>{}</span>",
        css, escape_html(label));
  return html + "</div>";
}

}  // namespace kg::cli
