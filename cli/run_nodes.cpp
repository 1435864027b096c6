#include "cli/run_nodes.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "base/clock.h"
#include "base/duration.h"
#include "cli/report_chart.h"

namespace kg::cli {
namespace {

constexpr double kSilentSeconds = 60;

// node-2 before node-10.
bool comes_before(const RunNode& a, const RunNode& b) {
  return a.name.size() != b.name.size() ? a.name.size() < b.name.size() : a.name < b.name;
}

}  // namespace

std::vector<RunNode> nodes_of(const fs::path& run, const nlohmann::json& status) {
  std::vector<RunNode> nodes;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(run / "nodes", ignored)) {
    if (!fs::exists(entry.path() / "node.json", ignored)) continue;
    const auto json = nlohmann::json::parse(read_file(entry.path() / "node.json"), nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) continue;
    RunNode node{.name = entry.path().filename().string(),
                 .state = json.value("state", "?"),
                 .host = json.value("host", "?"),
                 .job = json.value("job", ""),
                 .workers = json.value("workers", 0),
                 .restarts = json.value("restarts", 0),
                 .seconds_silent = static_cast<double>(epoch_microseconds()) * 1e-6 - json.value("time", 0.0)};
    if (node.state == "running" && node.seconds_silent > kSilentSeconds) node.state = "silent";
    if (status.is_object() && status.contains("nodes") && status["nodes"].contains(node.name))
      node.results = status["nodes"][node.name].value("results", 0LL);
    nodes.push_back(std::move(node));
  }
  std::sort(nodes.begin(), nodes.end(), comes_before);
  return nodes;
}

std::string text_of(const RunNode& node) {
  return fmt::format("{} on {}, {} workers, {} results, {} restarts{}, {} ago", node.state, node.host, node.workers,
                     node.results, node.restarts, node.job.empty() ? "" : ", job " + node.job,
                     duration_text(node.seconds_silent));
}

std::string node_table(const std::vector<RunNode>& nodes) {
  if (nodes.empty()) return "";
  std::string html =
      "<section><h2>Nodes <span class=\"unit\">results since the learner was last started</span></h2><div "
      "class=\"scroll\"><table><thead><tr>"
      "<th>node</th><th>state</th><th>host</th><th>Slurm job</th><th>workers</th><th>results</th><th>restarts</th>"
      "</tr></thead>";
  for (const RunNode& node : nodes)
    html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                        escape_html(node.name), escape_html(node.state), escape_html(node.host), escape_html(node.job),
                        node.workers, node.results, node.restarts);
  return html + "</table></div></section>";
}

}  // namespace kg::cli
