// docs/reference/times.md and times.svg.

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

#include "npu/chip.h"
#include "published_times.h"

namespace kg::npu::testing {
namespace {

constexpr double kNear = 0.25, kFar = 2;

double ratio_of(const MeasuredPoint& one) { return one.ours / one.point.chip; }

std::string time_text(double microseconds) {
  return microseconds >= 1000 ? fmt::format("{:.2f} ms", microseconds / 1000) : fmt::format("{:.3g} us", microseconds);
}

// The picture's axes: decades of microseconds.
constexpr double kFirst = 3, kLast = 60000, kLeft = 64, kTop = 16, kSide = 460;

double along(double microseconds) { return kSide * std::log(microseconds / kFirst) / std::log(kLast / kFirst); }
double x_of(double microseconds) { return kLeft + along(microseconds); }
double y_of(double microseconds) { return kTop + kSide - along(microseconds); }

struct Kind {
  const char* name;
  const char* what;
  const char* colour;
};
constexpr Kind kKinds[] = {{"products", "products of matrices", "#b3261e"},
                           {"vector", "vector kernels", "#1a5fb4"},
                           {"scalar", "scalar loops over GM", "#26803a"}};

std::string colour_of(const std::string& kind) {
  for (const Kind& known : kKinds)
    if (kind == known.name) return known.colour;
  return "#000000";
}

// The line of all points whose ratio is `ratio`.
std::string diagonal(double ratio, const char* style) {
  const double from = std::max(kFirst, kFirst / ratio), to = std::min(kLast, kLast / ratio);
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x_of(from),
                     y_of(from * ratio), x_of(to), y_of(to * ratio), style);
}

std::string axes() {
  std::string text;
  for (double decade = 10; decade < kLast; decade *= 10) {
    const std::string label =
        decade < 1000 ? fmt::format("{:.0f} us", decade) : fmt::format("{:.0f} ms", decade / 1000);
    text += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\" class=\"grid\"/>\n", x_of(decade),
                        kTop, kTop + kSide);
    text += fmt::format("<line x1=\"{1}\" y1=\"{0:.1f}\" x2=\"{2}\" y2=\"{0:.1f}\" class=\"grid\"/>\n", y_of(decade),
                        kLeft, kLeft + kSide);
    text += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x_of(decade),
                        kTop + kSide + 16, label);
    text +=
        fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 6, y_of(decade) + 4, label);
  }
  text += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">published, on the chip</text>\n",
                      kLeft + kSide / 2, kTop + kSide + 36);
  text += fmt::format("<text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">emulated NPU</text>\n",
                      kTop + kSide / 2);
  return text;
}

}  // namespace

double factor_off(const MeasuredPoint& one) { return std::max(ratio_of(one), 1 / ratio_of(one)); }
bool is_near(const MeasuredPoint& one) { return std::abs(ratio_of(one) - 1) <= kNear; }

std::string times_picture(const std::vector<MeasuredPoint>& points) {
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<style>.grid{{stroke:#ddd}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      kLeft + kSide + 190, kTop + kSide + 48);
  text += axes();
  text += diagonal(1, "stroke=\"#444\"");
  for (const double ratio : {1 + kNear, 1 - kNear}) text += diagonal(ratio, "stroke=\"#888\" stroke-dasharray=\"6 3\"");
  for (const double ratio : {kFar, 1 / kFar}) text += diagonal(ratio, "stroke=\"#bbb\" stroke-dasharray=\"2 3\"");
  for (const MeasuredPoint& one : points)
    text += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\" fill=\"{}\" fill-opacity=\"0.75\"><title>{}: {} on the chip, {} "
        "here</title></circle>\n",
        x_of(one.point.chip), y_of(one.ours), colour_of(one.point.kind), one.point.kernel, time_text(one.point.chip),
        time_text(one.ours));
  double y = kTop + 16;
  for (const Kind& kind : kKinds) {
    text += fmt::format("<circle cx=\"{0}\" cy=\"{1}\" r=\"4.5\" fill=\"{2}\"/><text x=\"{3}\" y=\"{4}\">{5}</text>\n",
                        kLeft + kSide + 24, y, kind.colour, kLeft + kSide + 36, y + 4, kind.what);
    y += 20;
  }
  for (const auto& [style, what] : {std::pair{"stroke=\"#444\"", "equal"},
                                    {"stroke=\"#888\" stroke-dasharray=\"6 3\"", "off by 25 %"},
                                    {"stroke=\"#bbb\" stroke-dasharray=\"2 3\"", "off by a factor of 2"}}) {
    text += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/><text x=\"{}\" y=\"{}\">{}</text>\n",
                        kLeft + kSide + 14, y, kLeft + kSide + 32, y, style, kLeft + kSide + 36, y + 4, what);
    y += 20;
  }
  return text + "</svg>\n";
}

std::string times_page(const std::vector<MeasuredPoint>& points) {
  const auto near = std::count_if(points.begin(), points.end(), is_near);
  const auto not_far =
      std::count_if(points.begin(), points.end(), [](const MeasuredPoint& one) { return factor_off(one) <= kFar; });
  std::string text = fmt::format(R"(# Times of whole kernels

What the emulated NPU says of a kernel's time, against the chip. Each row has a time that somebody read on an Atlas A2
and published, and beside it the time of a kernel of our own of the same structure: the published kernels themselves
are other people's. Times have the launch ({} us) in them. L2 is empty before each launch, but where the benchmark is
known to repeat a launch and L2 keeps its tensors, or to fill L2 with other data first: the second column says so.

{} of {} points are within 25 %, {} within a factor of 2. Where the published structure is not known, ours is a guess,
which the second column says. `ascendc_end_to_end_time_test` measures all of them; the figures behind the model are in
[chip.md](chip.md), single instructions in `ascendc_published_time_test.cpp`.

![predicted against published times](times.svg)

)",
                                 chip::kLaunchSeconds * 1e6, near, points.size(), not_far);
  for (const Kind& kind : kKinds) {
    std::string title = kind.what;
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
    text += "## " + title +
            "\n\n| kernel | structure of ours | chip | emulated NPU | ratio | source |\n|---|---|---|---|---|---|\n";
    for (const MeasuredPoint& one : points)
      if (one.point.kind == kind.name)
        text += fmt::format("| {} | {} | {} | {} | {}{:.2f}{} | {} |\n", one.point.kernel, one.point.structure,
                            time_text(one.point.chip), time_text(one.ours), is_near(one) ? "" : "**", ratio_of(one),
                            is_near(one) ? "" : "**", one.point.source);
    text += "\n";
  }
  text += R"(## What is off, and why

- **SwiGLU of short rows.** Small shapes carry some 3 us more than the launch that is charged here.
- **The smallest products.** The Matmul object's work on the scalar unit before its first block is charged as one
  figure for mixed kernels, `kMatmulStart`, and one for cube cores alone, `kMatmulAloneStart`. Both follow from three of
  these kernels; all three have tilings that the compiler does not know.
- **The longest row of RMSNorm, the lone convolution.** Nobody says how these kernels divide a row or a sequence.

Two more published times, of an unpermutation (9.83 ms) and of paged attention (11.54 ms), belong to kernels whose
structure is not published.
)";
  return text;
}

}  // namespace kg::npu::testing
