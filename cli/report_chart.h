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

// Few points are drawn with dots; with more than 40, the moving mean is drawn in bold before the points.
std::string line_chart(const std::string& title, const std::string& unit, const std::vector<Line>& lines);

struct Bar {
  std::string label;                                  // below the bar
  std::vector<std::pair<std::string, double>> parts;  // class suffix and height, from the bottom up
};

// `share`: heights become percentages of the whole bar. `legend_html` is put below.
std::string bar_chart(const std::string& title, const std::string& x_label, const std::vector<Bar>& bars, bool share,
                      const std::string& legend_html);

std::string legend(const std::vector<std::pair<std::string, std::string>>& class_and_label);

std::string escape_html(const std::string& text);
std::string short_number(double value);  // "0.0012", "1.5k", "12"

// Each point as the mean of the tenth of all points around it; near the ends fewer, as many on either side.
Points moving_mean(const Points& points);

// At most `count` + 1 round numbers that cover [low, high].
std::vector<double> nice_ticks(double low, double high, int count);

}  // namespace kg::cli
