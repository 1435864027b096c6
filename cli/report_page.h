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
  std::string rollouts_missing;  // why they are missing, if something is wrong
  std::string against_run;       // another run, whose curves are drawn in the same charts; empty: none
  Metrics against;
  int refresh_seconds = 0;  // interval at which the page reloads itself; 0: never
};

// One self-contained page: no script, nothing from the network. All text from a model or a compiler is escaped.
std::string report_page(const ReportInput& input);

// The page's sections, each in its own file.
// `other`: metrics of the run `other_name`, drawn in the same charts; empty if there is none.
std::string metric_charts(const Metrics& metrics, const std::string& name = "", const Metrics& other = {},
                          const std::string& other_name = "");
std::string rollout_charts(const RolloutDigest& digest);
std::string task_table(const RolloutDigest& digest);
std::string rollout_cards(const RolloutDigest& digest);
std::string report_style();

}  // namespace kg::cli
