#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"

namespace kg::cli {

// One number of metrics.jsonl over the steps of a run.
using Points = std::vector<std::pair<double, double>>;  // step, value

struct Metrics {
  std::map<std::string, Points> series;  // every numeric key except step and time
  double steps = 0;                      // the last one
  double seconds = 0;                    // from the run's beginning, or the first line, to the last
};

// A resumed run writes some steps again: the last line of a step counts. A line cut off by a kill is passed over.
// `began`: when the run began, in seconds of the epoch; 0: unknown.
Metrics read_metrics(const fs::path& file, double began = 0);

// At most `count` points: means of equal stretches.
Points thin_out(const Points& points, std::size_t count);

}  // namespace kg::cli
