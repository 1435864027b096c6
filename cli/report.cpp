#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/options.h"
#include "base/writable.h"
#include "cli/command.h"
#include "cli/report_page.h"
#include "cli/run_record.h"

namespace kg::cli {
namespace {

struct ReportCommand {
  std::string name, out, data, against;
  RolloutChoice choice;
  bool live = false;
  int refresh = 10;
};

// The run's rollouts; or, in `missing`, why there are none to show.
RolloutDigest read_rollouts(const ReportCommand& asked, const fs::path& run, const nlohmann::json& config,
                            std::string& missing) {
  std::string data = asked.data;
  if (data.empty() && config.is_object()) data = config.value("data", std::string());
  if (data.empty()) return {};
  try {
    const auto dataset = dataset::Dataset::open(dataset::find_dataset(data), dataset::OpenMode::kRead);
    return digest_rollouts(*dataset, run.filename().string(), asked.choice);
  } catch (const Error& error) {
    if (!asked.data.empty()) throw;
    missing = "No rollouts can be shown: " + error.where() + ": " + error.what();
    return {};
  }
}

double began_of(const nlohmann::json& config) { return config.is_object() ? config.value("began", 0.0) : 0; }

ReportInput input_of(const ReportCommand& asked, const fs::path& run) {
  ReportInput input{.run = run.filename().string(),
                    .config = read_run_json(run / "config.json"),
                    .status = read_run_json(run / "status.json")};
  input.metrics = read_metrics(run / "metrics.jsonl", began_of(input.config));
  input.nodes = nodes_of(run, input.status);
  input.rollouts = read_rollouts(asked, run, input.config, input.rollouts_missing);
  if (input.metrics.series.empty() && input.rollouts.rollouts == 0 && input.config.is_null())
    throw Error("not a run: it has neither config.json nor metrics.jsonl", run.string(), "name a folder under runs/");
  if (asked.choice.any() && input.rollouts.chosen.empty())
    throw Error("the run has no rollout that matches", "--task, --stage, --update",
                "without them, the page lists the tasks, stages and updates there are");
  if (asked.against.empty()) return input;
  const fs::path other = find_run(asked.against);
  input.against_run = other.filename().string();
  input.against = read_metrics(other / "metrics.jsonl", began_of(read_run_json(other / "config.json")));
  return input;
}

bool goes_on(const ReportInput& input) {
  return input.status.is_object() && input.status.value("state", "") == "running" &&
         lives(input.status.value("pid", 0));
}

}  // namespace

int run_report(int argc, const char* const* argv) {
  ReportCommand asked;
  Options options("kgtrain report",
                  "Writes an HTML page about a run: curves, verdicts, best and worst kernels, configuration.");
  options.positional("RUN", asked.name, "folder or name of the run; default: the latest", /*is_required=*/false)
      .add("out", asked.out, "file to write; default: report.html in the run's folder")
      .add("data", asked.data, "data set that holds the rollouts; default: the one in the run's configuration")
      .add("against", asked.against, "another run, whose curves are drawn in the same charts")
      .add("task", asked.choice.task, "show the rollouts of tasks whose id contains this")
      .add("stage", asked.choice.stage, "show the rollouts that ended at this stage")
      .choices({"", "rejected", "compile", "run", "compare", "check", "correct"})
      .add("update", asked.choice.update, "show the rollouts of this policy version; negative: of any")
      .range(-1, 1e9)
      .add("live", asked.live, "rewrite the page until the run ends; a browser that shows it reloads it")
      .add("refresh", asked.refresh, "seconds between two updates of --live")
      .range(1, 3600);
  if (!options.parse(argc, argv)) return 0;
  if (options.given("refresh") && !asked.live)
    throw Error("--refresh needs --live", "kgtrain report", "add --live, or leave out --refresh");
  require_writable(asked.out, "--out");
  const fs::path run = find_run(asked.name);
  const fs::path page = asked.out.empty() ? run / "report.html" : fs::path(asked.out);
  for (bool first = true;; first = false) {
    ReportInput input = input_of(asked, run);
    const bool again = asked.live && goes_on(input);
    input.refresh_seconds = again ? asked.refresh : 0;
    write_file_atomically(page, report_page(input));
    if (first) {
      if (!input.rollouts_missing.empty()) std::fprintf(stderr, "%s\n", input.rollouts_missing.c_str());
      std::printf("%s\n", page.c_str());
      std::fflush(stdout);
    }
    if (!again) return 0;
    std::this_thread::sleep_for(std::chrono::seconds(asked.refresh));
  }
}

}  // namespace kg::cli
