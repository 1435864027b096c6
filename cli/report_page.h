#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/report_metrics.h"
#include "cli/report_rollouts.h"
#include "cli/run_nodes.h"

namespace kg::cli {

struct ReportInput {
  std::string run;
  nlohmann::json config, status;  // null if the run has none
  Metrics metrics;
  std::vector<RunNode> nodes;
  RolloutDigest rollouts;
  std::string rollouts_missing;  // why there are none, if something is wrong
};

// One self-contained page: no script, nothing from the network. All that a model or a compiler wrote is escaped.
std::string report_page(const ReportInput& input);

// The sections, in files of their own.
std::string metric_charts(const Metrics& metrics);
std::string rollout_charts(const RolloutDigest& digest);
std::string rollout_cards(const RolloutDigest& digest);
std::string report_style();

}  // namespace kg::cli
