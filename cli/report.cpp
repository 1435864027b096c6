#include <cstdio>
#include <string>

#include "base/error.h"
#include "base/options.h"
#include "cli/command.h"
#include "cli/report_page.h"
#include "cli/run_record.h"

namespace kg::cli {
namespace {

// The rollouts of the run, or in `missing` why there are none to show.
RolloutDigest read_rollouts(const fs::path& run, const nlohmann::json& config, const std::string& data_option,
                            std::string& missing) {
  std::string data = data_option;
  if (data.empty() && config.is_object()) data = config.value("data", std::string());
  if (data.empty()) return {};
  try {
    const auto dataset = dataset::Dataset::open(dataset::find_dataset(data), dataset::OpenMode::kRead);
    return digest_rollouts(*dataset, run.filename().string());
  } catch (const Error& error) {
    if (!data_option.empty()) throw;
    missing = "No rollouts are shown: " + error.where() + ": " + error.what();
    return {};
  }
}

}  // namespace

int run_report(int argc, const char* const* argv) {
  std::string name, out, data;
  Options options("kgtrain report",
                  "Writes one HTML page about a run: curves, verdicts, best and worst kernels, configuration.");
  options.positional("RUN", name, "folder or name of the run; the latest if none is named", /*is_required=*/false)
      .add("out", out, "file to write; report.html in the run's folder if not given")
      .add("data", data, "data set that holds the rollouts; the one in the run's configuration if not given");
  if (!options.parse(argc, argv)) return 0;
  const fs::path run = find_run(name);
  ReportInput input{.run = run.filename().string(),
                    .config = read_run_json(run / "config.json"),
                    .status = read_run_json(run / "status.json"),
                    .metrics = read_metrics(run / "metrics.jsonl")};
  input.nodes = nodes_of(run, input.status);
  input.rollouts = read_rollouts(run, input.config, data, input.rollouts_missing);
  if (input.metrics.series.empty() && input.rollouts.rollouts == 0 && input.config.is_null())
    throw Error("is no run: it has neither config.json nor metrics.jsonl", run.string(), "name a folder under runs/");
  const fs::path page = out.empty() ? run / "report.html" : fs::path(out);
  write_file_atomically(page, report_page(input));
  if (!input.rollouts_missing.empty()) std::fprintf(stderr, "%s\n", input.rollouts_missing.c_str());
  std::printf("%s\n", page.c_str());
  return 0;
}

}  // namespace kg::cli
