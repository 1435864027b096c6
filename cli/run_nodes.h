#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.h"

namespace kg::cli {

// A worker node of a run, as described in RUN/nodes/NAME/node.json, with its results from the learner's status.
struct RunNode {
  std::string name, state, host, job;
  int workers = 0, restarts = 0;
  double seconds_silent = 0;  // since its last sign of life
  long long results = 0;      // results stored since the learner started
};

// Ordered by the number in the name, if there is one. A node that says "running" but was silent for 60 s is "silent".
// `status`: the run's status.json.
std::vector<RunNode> nodes_of(const fs::path& run, const nlohmann::json& status);

// "running on host n1, 4 workers, 312 results, 1 restart, job 17, 3 s ago"
std::string text_of(const RunNode& node);

// A section of the report; empty if there are no nodes.
std::string node_table(const std::vector<RunNode>& nodes);

}  // namespace kg::cli
