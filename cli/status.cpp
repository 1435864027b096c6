#include <cstdio>
#include <string>

#include "base/clock.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/host_name.h"
#include "base/options.h"
#include "cli/command.h"
#include "cli/run_nodes.h"
#include "cli/run_record.h"
#include "cli/slurm.h"

namespace kg::cli {
namespace {

std::string plain(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) {
    char text[40];
    std::snprintf(text, sizeof text, "%.5g", value.get<double>());
    return text;
  }
  if (value.is_array()) {
    std::string text;
    for (const auto& element : value) text += (text.empty() ? "" : ", ") + plain(element);
    return text.empty() ? "none" : text;
  }
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.is_null() ? "-" : value.dump();
}

constexpr double kSilentSeconds = 60;

void print_line(const std::string& key, const std::string& value) {
  std::string name = key;
  for (char& c : name)
    if (c == '_') c = ' ';
  std::printf("%-24s %s\n", name.c_str(), value.c_str());
}

void print_bar(double step, double steps) {
  constexpr int kWidth = 40;
  const double part = std::min(1.0, step / steps);
  std::string bar(static_cast<std::size_t>(part * kWidth), '#');
  bar.resize(kWidth, '.');
  std::printf("%-24s [%s] %.0f of %.0f (%.0f %%)\n", "step", bar.c_str(), step, steps, 100 * part);
}

void print_rest(const std::string& prefix, const nlohmann::json& object) {
  for (const auto& [key, value] : object.items()) {
    if (prefix.empty() && (key == "command" || key == "state" || key == "pid" || key == "step" || key == "steps"))
      continue;
    if (value == "" || (prefix.empty() && key == "nodes")) continue;
    if (prefix.empty() && key == "time" && value.is_number())
      print_line("last word", duration_text(epoch_microseconds() * 1e-6 - value.get<double>()) + " ago");
    else if (value.is_object())
      print_rest(prefix + key + " ", value);
    else if (key.ends_with("_seconds") && value.is_number())
      print_line(prefix + key.substr(0, key.size() - 8), duration_text(value.get<double>()));
    else
      print_line(prefix + key, plain(value));
  }
}

double number(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

std::string text(const nlohmann::json& object, const char* key, const std::string& otherwise) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

// For a submitted run: the states of its jobs in Slurm, with the reason if one is waiting.
void print_jobs(const fs::path& run) {
  const nlohmann::json record = read_run_json(run / "submit" / "jobs.json");
  if (!record.is_object()) return;
  for (const nlohmann::json& job : record.value("jobs", nlohmann::json::array()))
    for (const std::string& line : describe_job(job.value("id", "")))
      print_line("job of the " + job.value("part", "?"), line);
}

}  // namespace

int run_status(int argc, const char* const* argv) {
  std::string name;
  bool json = false;
  Options options("kgtrain status", "Shows what a run is doing.");
  options.positional("RUN", name, "folder or name of the run; default: the latest", /*is_required=*/false)
      .add("json", json, "print the status as JSON");
  if (!options.parse(argc, argv)) return 0;
  const fs::path run = find_run(name);
  nlohmann::json status = read_run_json(run / "status.json");
  if (!status.is_object()) {
    print_jobs(run);
    throw Error("the run has not written a status yet", (run / "status.json").string(),
                "it is still starting, or it ended before its first step: look at its log", Error::Kind::kFailed);
  }
  const int pid = static_cast<int>(number(status, "pid"));
  // The only evidence of a process on another host is its last status.
  const std::string host = text(status, "host", "");
  const bool elsewhere = !host.empty() && host != host_name();
  const nlohmann::json lease = read_run_json(run / "lease.json");  // renewed every few seconds
  const double said = std::max(number(status, "time"), lease.is_object() ? number(lease, "time") : 0);
  const double silent = static_cast<double>(epoch_microseconds()) * 1e-6 - said;
  const bool alive = elsewhere ? silent < kSilentSeconds : lives(pid);
  if (json) {
    status["alive"] = alive;
    std::printf("%s\n", status.dump().c_str());
    return 0;
  }
  print_line("run", run.string());
  print_line("command", text(status, "command", "?"));
  std::string state = text(status, "state", alive ? "running" : "ended");
  if (pid > 0 && !alive && state != "done" && state != "finished" && state != "stopped" && state != "failed")
    state += ", but process " + std::to_string(pid) + (elsewhere ? " on " + host + " has been silent" : " is gone") +
             ": continue it with --resume";
  else if (alive)
    state += ", process " + std::to_string(pid) + (elsewhere ? " on " + host : "");
  print_line("state", state);
  if (number(status, "steps") > 0)
    print_bar(number(status, "step"), number(status, "steps"));
  else if (status.contains("step"))
    print_line("step", plain(status["step"]));
  print_rest("", status);
  for (const RunNode& node : nodes_of(run, status)) print_line(node.name, text_of(node));
  print_jobs(run);
  return 0;
}

}  // namespace kg::cli
