// `kgtrain runs`: lists the runs, and what can be deleted of them.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/options.h"
#include "cli/command.h"
#include "cli/run_record.h"

namespace kg::cli {
namespace {

struct KnownRun {
  fs::path path;
  std::string command = "?", state = "never began";
  double step = 0, steps = 0, time = 0;  // as of its last status
  std::uintmax_t bytes = 0;
  bool alive = false;

  std::string name() const { return path.filename().string(); }
  bool finished() const { return state == "finished"; }
};

std::uintmax_t bytes_of(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_symlink(path, ignored)) return 0;
  if (!fs::is_directory(path, ignored)) return fs::file_size(path, ignored);
  std::uintmax_t sum = 0;
  for (fs::recursive_directory_iterator entry(path, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    std::error_code gone;  // a running run deletes files of its own
    if (entry->is_regular_file(gone) && !entry->is_symlink(gone))
      if (const std::uintmax_t size = entry->file_size(gone); !gone) sum += size;
  }
  return sum;
}

KnownRun look_at(const fs::path& path) {
  KnownRun run{.path = path, .bytes = bytes_of(path)};
  const auto read = [&](const char* file) {
    return nlohmann::json::parse(fs::exists(path / file) ? read_file(path / file) : "", nullptr, false);
  };
  const nlohmann::json config = read("config.json"), status = read("status.json");
  if (config.is_object()) run.command = config.value("command", "?");
  if (!status.is_object()) return run;
  run.state = status.value("state", "?");
  run.step = status.value("step", 0.0);
  run.steps = status.value("steps", 0.0);
  run.time = status.value("time", 0.0);
  run.alive = run.state == "running" && lives(status.value("pid", 0));
  if (run.state == "running" && !run.alive) run.state = "broken off";
  return run;
}

std::vector<KnownRun> all_runs(const fs::path& folder) {
  std::vector<KnownRun> runs;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->is_directory() && !entry->is_symlink()) runs.push_back(look_at(entry->path()));
  std::sort(runs.begin(), runs.end(), [](const KnownRun& a, const KnownRun& b) {
    return std::pair(a.time, a.name()) < std::pair(b.time, b.name());
  });
  return runs;
}

std::string size_text(std::uintmax_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, bytes < 1000000000 ? "%.1f MB" : "%.2f GB",
                static_cast<double>(bytes) / (bytes < 1000000000 ? 1e6 : 1e9));
  return text;
}

void print_table(const std::vector<KnownRun>& runs) {
  std::size_t width = 4;
  for (const KnownRun& run : runs) width = std::max(width, run.name().size());
  std::printf("%-*s  %-5s  %-11s  %11s  %9s  %s\n", static_cast<int>(width), "name", "does", "state", "step", "size",
              "last word");
  const double now = static_cast<double>(epoch_microseconds()) * 1e-6;
  for (const KnownRun& run : runs) {
    char step[48] = "";
    if (run.steps > 0) std::snprintf(step, sizeof step, "%.0f/%.0f", run.step, run.steps);
    std::printf("%-*s  %-5s  %-11s  %11s  %9s  %s\n", static_cast<int>(width), run.name().c_str(), run.command.c_str(),
                run.state.c_str(), step, size_text(run.bytes).c_str(),
                run.time > 0 ? (duration_text(now - run.time) + " ago").c_str() : "-");
  }
}

void print_json(const std::vector<KnownRun>& runs) {
  for (const KnownRun& run : runs)
    std::printf("%s\n", nlohmann::json{{"run", run.path.string()},
                                       {"command", run.command},
                                       {"state", run.state},
                                       {"alive", run.alive},
                                       {"step", run.step},
                                       {"steps", run.steps},
                                       {"bytes", run.bytes},
                                       {"time", run.time}}
                            .dump()
                            .c_str());
}

// Files a run no longer needs: if it finished, all checkpoints, since it has its model; otherwise all checkpoints
// but the newest, from which it can continue.
std::vector<fs::path> spare_parts(const KnownRun& run) {
  std::vector<fs::path> steps;
  std::error_code error;
  for (fs::directory_iterator entry(run.path / "checkpoints", error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().filename().string().starts_with("step-")) steps.push_back(entry->path());
  std::sort(steps.begin(), steps.end());
  const bool has_model = run.finished() && fs::exists(run.path / "model" / "config.json");
  if (!has_model && !steps.empty()) steps.pop_back();
  return steps;
}

// Deletes them, or without `really` prints what would be deleted. Dangling links like latest-sft are deleted as well.
int take_away(const std::vector<fs::path>& parts, const fs::path& folder, bool really) {
  std::uintmax_t bytes = 0;
  for (const fs::path& part : parts) {
    const std::uintmax_t size = bytes_of(part);
    bytes += size;
    std::printf("%s  %9s  %s\n", really ? "deleted" : "would go", size_text(size).c_str(), part.c_str());
    if (really) fs::remove_all(part);
  }
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; really && !error && entry != end; entry.increment(error))
    if (entry->is_symlink() && !fs::exists(entry->path())) fs::remove(entry->path());
  std::printf("%s in all%s\n", size_text(bytes).c_str(), really || parts.empty() ? "" : "; --yes deletes it");
  return 0;
}

}  // namespace

int run_runs(int argc, const char* const* argv) {
  std::vector<std::string> remove;
  bool thin = false, yes = false, json = false;
  Options options("kgtrain runs",
                  "Lists the runs in $KGTRAIN_HOME/runs, newest last, or deletes what they no longer need.");
  options
      .add("thin", thin,
           "delete checkpoints: all of them for a finished run (its model stays, but it cannot be trained further), "
           "all but the newest for other runs")
      .add("remove", remove, "delete this whole run; may be repeated")
      .add("yes", yes, "really delete; without this, --thin and --remove only say what they would delete")
      .add("json", json, "print one JSON object for each run");
  if (!options.parse(argc, argv)) return 0;
  const fs::path folder = kgtrain_home() / "runs";
  if (yes && !thin && remove.empty())
    throw Error("--yes needs --thin or --remove", "kgtrain runs", "add one of them, or leave out --yes");
  std::vector<fs::path> parts;
  for (const std::string& name : remove) {
    const KnownRun run = look_at(find_run(name));
    if (name.empty() || run.path.parent_path() != fs::canonical(folder))  // any folder can be named as a run
      throw Error("\"" + name + "\" is not a run in $KGTRAIN_HOME/runs, and only runs are deleted", run.path.string(),
                  "kgtrain runs lists them");
    if (run.alive)
      throw Error("the run is still running", run.path.string(), "stop it first: it ends cleanly on SIGTERM");
    parts.push_back(run.path);
  }
  const std::vector<KnownRun> runs = all_runs(folder);
  if (thin)
    for (const KnownRun& run : runs) {
      const bool whole = std::find(parts.begin(), parts.end(), run.path) != parts.end();
      if (run.alive || whole) continue;
      for (const fs::path& part : spare_parts(run)) parts.push_back(part);
    }
  if (thin || !remove.empty()) return take_away(parts, folder, yes);
  if (json)
    print_json(runs);
  else if (runs.empty())
    std::printf("no runs in %s; kgtrain sft starts one\n", folder.c_str());
  else
    print_table(runs);
  return 0;
}

}  // namespace kg::cli
