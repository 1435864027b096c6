#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"

namespace kg::cli {

// One number of metrics.jsonl over the run's steps.
using Points = std::vector<std::pair<double, double>>;  // step, value

struct Metrics {
  std::map<std::string, Points> series;  // every numeric key except step and time
  double steps = 0;                      // the last step
  double seconds = 0;                    // from the beginning of the run, or the first line, to the last
};

// A resumed run writes some steps again: the last line of a step counts. A line cut off by a kill is skipped.
// `began`: when the run began, in seconds since the epoch; 0: unknown.
Metrics read_metrics(const fs::path& file, double began = 0);

// At most `count` points: means over stretches of equal length.
Points thin_out(const Points& points, std::size_t count);

}  // namespace kg::cli
