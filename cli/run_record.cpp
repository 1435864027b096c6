#include "cli/run_record.h"

#include <signal.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "base/error.h"
#include "base/suggestion.h"

namespace kg::cli {
namespace {

std::vector<std::string> known_runs(const fs::path& runs) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(runs, error), end; !error && entry != end; entry.increment(error))
    if (entry->is_directory() && !entry->is_symlink()) names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// The run that is going on and spoke last, else the one that `latest-*` named last; empty: none.
fs::path latest_run(const fs::path& runs) {
  fs::path going, ended;
  double going_time = 0;
  fs::file_time_type ended_time;
  std::error_code error;
  for (fs::directory_iterator entry(runs, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_symlink()) {
      const auto time = fs::last_write_time(entry->path() / "status.json", ignored);
      if (!ignored && entry->path().filename().string().starts_with("latest-") &&
          (ended.empty() || time > ended_time)) {
        ended = entry->path();
        ended_time = time;
      }
      continue;
    }
    const auto status = nlohmann::json::parse(std::ifstream(entry->path() / "status.json"), nullptr, false);
    if (!status.is_object() || !status.contains("state") || status["state"] != "running") continue;
    if (!lives(status.value("pid", 0)) || status.value("time", 0.0) <= going_time) continue;
    going = entry->path();
    going_time = status.value("time", 0.0);
  }
  return going.empty() ? ended : going;
}

}  // namespace

fs::path find_run(const std::string& name) {
  const fs::path runs = kgtrain_home() / "runs";
  std::vector<fs::path> candidates;
  if (name.empty())
    candidates = {latest_run(runs)};
  else
    candidates = {fs::path(name), runs / name};
  for (const fs::path& candidate : candidates)
    if (fs::is_directory(candidate)) return fs::canonical(candidate);
  throw Error(name.empty() ? "there is no run yet" : "there is no run \"" + name + "\"", runs.string(),
              suggestion(name, known_runs(runs), "runs", "start one with `kgtrain sft` or `kgtrain rl`"));
}

nlohmann::json read_run_json(const fs::path& file) {
  if (!fs::exists(file)) return nullptr;
  auto json = nlohmann::json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    throw Error("is not JSON", file.string(), "the file was damaged by something other than kgtrain");
  return json;
}

bool lives(int pid) {
  if (pid <= 0 || (::kill(pid, 0) != 0 && errno == ESRCH)) return false;
  std::error_code error;
  const fs::path comm = "/proc/" + std::to_string(pid) + "/comm";
  // Process ids come round again: another program with the number is not the run.
  return !fs::exists(comm, error) || read_file(comm).starts_with("kgtrain");
}

}  // namespace kg::cli
