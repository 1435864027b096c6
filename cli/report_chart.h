#pragma once

#include <string>
#include <vector>

#include "cli/report_metrics.h"

// Charts as inline SVG; colours are classes of the page's style sheet (report_page.cpp). All text is escaped here.
namespace kg::cli {

struct Line {
  std::string label;
  Points points;
  int color = 0;  // class "line-N"
};

// Few points have dots; of many (more than 40) the bold line is the moving mean, before the points themselves.
std::string line_chart(const std::string& title, const std::string& unit, const std::vector<Line>& lines);

struct Bar {
  std::string label;                                  // under the bar
  std::vector<std::pair<std::string, double>> parts;  // class suffix and height, from below
};

// `share`: heights become percentages of the whole bar. `legend_html` goes below.
std::string bar_chart(const std::string& title, const std::string& x_label, const std::vector<Bar>& bars, bool share,
                      const std::string& legend_html);

std::string legend(const std::vector<std::pair<std::string, std::string>>& class_and_label);

std::string escape_html(const std::string& text);
std::string short_number(double value);  // "0.0012", "1.5k", "12"

// Each point as the mean of a tenth of all, those around it; fewer at the ends, as many on either side.
Points moving_mean(const Points& points);

// Round numbers that cover [low, high], at most `count` + 1 of them.
std::vector<double> nice_ticks(double low, double high, int count);

}  // namespace kg::cli
