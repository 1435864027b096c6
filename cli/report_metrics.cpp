#include "cli/report_metrics.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

namespace kg::cli {

Metrics read_metrics(const fs::path& file, double began) {
  std::map<std::string, std::map<double, double>> by_step;
  Metrics metrics;
  double first_time = NAN, last_time = NAN;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto entry = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!entry.is_object() || !entry.contains("step") || !entry["step"].is_number()) continue;
    const double step = entry["step"].get<double>();
    metrics.steps = std::max(metrics.steps, step);
    for (const auto& [key, value] : entry.items()) {
      if (!value.is_number() || key == "step") continue;
      const double number = value.get<double>();
      if (key == "time") {
        if (std::isnan(first_time)) first_time = number;
        last_time = number;
      } else if (std::isfinite(number)) {
        by_step[key][step] = number;
      }
    }
  }
  if (!std::isnan(last_time))
    metrics.seconds = std::max(0.0, last_time - (began > 0 && began <= first_time ? began : first_time));
  for (const auto& [key, points] : by_step) metrics.series[key] = Points(points.begin(), points.end());
  return metrics;
}

Points thin_out(const Points& points, std::size_t count) {
  if (points.size() <= count) return points;
  Points thin;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * points.size() / count, end = (i + 1) * points.size() / count;
    double step = 0, value = 0;
    for (std::size_t j = begin; j < end; ++j) {
      step += points[j].first;
      value += points[j].second;
    }
    const auto n = static_cast<double>(end - begin);
    thin.emplace_back(step / n, value / n);
  }
  return thin;
}

}  // namespace kg::cli
